// SPDX-License-Identifier: MIT
package import BLEWorld

/// The target of a control channel.
package protocol ControlTarget: Sendable {
  /// Executes a command; its effects may continue after the return.
  ///
  /// - Throws: ``ControlError`` if it names something that does not exist, or is impossible at present.
  func perform(_ command: ControlCommand) async throws(ControlError)
  var state: WorldState { get async }
}
