// SPDX-License-Identifier: MIT

/// A property that was skipped because of an undocumented type.
package struct PropertyTypeMismatch: Hashable, Sendable {
  package var path: String
  package var interface: String
  package var property: String
  package var signature: String
}
