// SPDX-License-Identifier: MIT

/// The reason that a file is not firmware that can be sent.
package struct FirmwareError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error as a sentence without a full stop, not escaped for a terminal.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
