// SPDX-License-Identifier: MIT

/// The version of the programs.
package enum ReleaseVersion {
  package static let number = "1.0.0"
}
