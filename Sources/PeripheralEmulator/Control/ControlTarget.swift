// SPDX-License-Identifier: MIT
package import BLEWorld

/// What a control channel controls.
package protocol ControlTarget: Sendable {
  /// Executes a command; its effects may continue after the return.
  ///
  /// - Parameter command: the command.
  /// - Throws: ``ControlError`` when it names something that does not exist, or is impossible at present.
  func perform(_ command: ControlCommand) async throws(ControlError)
  /// The current state.
  var state: WorldState { get async }
}
