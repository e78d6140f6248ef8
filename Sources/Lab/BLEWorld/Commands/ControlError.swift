// SPDX-License-Identifier: MIT

/// The reason that a command cannot be carried out.
package struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The wrong part of the command as a JSON pointer; empty for the whole command.
  package let pointer: String
  /// The expectation and the finding, as a message.
  package let message: String

  package init(_ pointer: String, _ message: String) {
    self.pointer = pointer
    self.message = message
  }

  /// The message and its place, such as `/device: there is no peripheral F0:F1:F2:F3:F4:F6`.
  package var description: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}
