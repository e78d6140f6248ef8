// SPDX-License-Identifier: MIT
package import BLEWorld

/// The target of a control channel.
package protocol ControlTarget: Sendable {
  /// Executes a command, unless that is impossible at present; its effects may continue after the return.
  func perform(_ command: ControlCommand) async throws(ControlError)
  var state: WorldState { get async }
}
