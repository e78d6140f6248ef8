// SPDX-License-Identifier: MIT

/// The reason that bytes cannot be read as CBOR, or as a message of SMP.
package struct CBORError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error as a sentence without a full stop.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
