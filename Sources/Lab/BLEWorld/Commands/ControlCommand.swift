// SPDX-License-Identifier: MIT
package import BLEFormats

/// Something that happens to the simulated world, invisibly to its clients.
///
/// World files schedule commands, the control channel accepts them at any time, and tests pass them to
/// ``Simulator/perform(_:)``. docs/faults.md lists them.
package struct ControlCommand: Sendable, Equatable {
  /// A target and what happens to it.
  package enum Action: Sendable, Equatable {
    /// A peripheral, by its address.
    case peripheral(String, PeripheralAction)
    case characteristic(CharacteristicReference, CharacteristicAction)
    /// An adapter, by a name such as `hci0`.
    case adapter(String, AdapterAction)
    case daemon(DaemonAction)
    /// Another program on the bus.
    case otherClient(OtherClientAction)
  }

  package var action: Action
  /// The time after which it is undone; nil for never.
  package var duration: Duration?

  /// - Parameters:
  ///   - action: the target and what happens to it.
  ///   - duration: the time after which it is undone, for an action with an ``Action/undoing``.
  package init(_ action: Action, for duration: Duration? = nil) {
    (self.action, self.duration) = (action, duration)
  }

  package static func peripheral(
    _ address: String, _ command: PeripheralAction, for duration: Duration? = nil
  ) -> ControlCommand { ControlCommand(.peripheral(address, command), for: duration) }

  /// Returns a command for the first characteristic of a peripheral with a UUID.
  package static func characteristic(
    _ uuid: BluetoothUUID, of device: String, _ command: CharacteristicAction, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(
      .characteristic(CharacteristicReference(device: device, uuid: uuid), command), for: duration)
  }

  package static func adapter(
    _ command: AdapterAction, _ name: String = "hci0", for duration: Duration? = nil
  ) -> ControlCommand { ControlCommand(.adapter(name, command), for: duration) }

  package static func daemon(_ command: DaemonAction, for duration: Duration? = nil) -> ControlCommand {
    ControlCommand(.daemon(command), for: duration)
  }

  package static func otherClient(
    _ command: OtherClientAction, for duration: Duration? = nil
  ) -> ControlCommand { ControlCommand(.otherClient(command), for: duration) }
}

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
