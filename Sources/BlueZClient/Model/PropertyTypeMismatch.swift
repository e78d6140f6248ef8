// SPDX-License-Identifier: MIT

/// A property that was skipped because its type is not the documented one.
package struct PropertyTypeMismatch: Hashable, Sendable {
  package var path: String
  package var interface: String
  package var property: String
  package var signature: String
}
