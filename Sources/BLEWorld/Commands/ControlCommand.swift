// SPDX-License-Identifier: MIT
package import BLEMeaning

/// Something that happens to the simulated world, unseen by its clients.
///
/// World files schedule commands, the control channel accepts them at any time, and tests pass them to
/// ``Simulator/perform(_:)``. docs/faults.md lists them.
package struct ControlCommand: Sendable, Hashable {
  /// A target and what happens to it.
  package enum Action: Sendable, Hashable {
    /// A peripheral, named by its address.
    case peripheral(String, PeripheralAction)
    /// A characteristic.
    case characteristic(CharacteristicReference, CharacteristicAction)
    /// An adapter, named as `hci0`.
    case adapter(String, AdapterAction)
    /// The daemon.
    case daemon(DaemonAction)
    /// Another program on the bus.
    case otherClient(OtherClientAction)
  }

  /// The target and what happens to it.
  package var action: Action
  /// The time after which it is undone; nil is never.
  package var duration: Duration?

  /// A command.
  ///
  /// - Parameters:
  ///   - action: the target and what happens to it.
  ///   - duration: the time after which it is undone, for an action with an ``Action/undoing``.
  package init(_ action: Action, for duration: Duration? = nil) {
    self.action = action
    self.duration = duration
  }

  /// A command for a peripheral.
  package static func peripheral(
    _ address: String, _ command: PeripheralAction, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.peripheral(address, command), for: duration)
  }

  /// A command for the first characteristic of a peripheral with a UUID.
  package static func characteristic(
    _ uuid: BluetoothUUID, of device: String, _ command: CharacteristicAction, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(
      .characteristic(CharacteristicReference(device: device, uuid: uuid), command), for: duration)
  }

  /// A command for an adapter.
  package static func adapter(
    _ command: AdapterAction, _ name: String = "hci0", for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.adapter(name, command), for: duration)
  }

  /// A command for the daemon.
  package static func daemon(_ command: DaemonAction, for duration: Duration? = nil) -> ControlCommand {
    ControlCommand(.daemon(command), for: duration)
  }

  /// A command for another program on the bus.
  package static func otherClient(
    _ command: OtherClientAction, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.otherClient(command), for: duration)
  }
}

extension ControlCommand.Action {
  /// The action that undoes it; nil for a momentary action.
  package var undoing: ControlCommand.Action? {
    switch self {
    case .peripheral(let address, let command): command.undoing.map { .peripheral(address, $0) }
    case .characteristic(let reference, let command): command.undoing.map { .characteristic(reference, $0) }
    case .adapter(let name, let command): command.undoing.map { .adapter(name, $0) }
    case .daemon(let command): command.undoing.map { .daemon($0) }
    case .otherClient(let command): command.undoing.map { .otherClient($0) }
    }
  }
}

/// A characteristic of a peripheral.
package struct CharacteristicReference: Sendable, Hashable {
  /// The address of the peripheral.
  package var device: String
  /// The service that contains it; nil is any.
  package var service: BluetoothUUID?
  /// The UUID; the reference is to the first characteristic with it.
  package var uuid: BluetoothUUID

  /// The first characteristic with a UUID, in one service or in any.
  package init(device: String, service: BluetoothUUID? = nil, uuid: BluetoothUUID) {
    self.device = device
    self.service = service
    self.uuid = uuid
  }
}

/// Why a command cannot be carried out.
package struct ControlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The wrong part of the command as a JSON pointer; empty for the whole command.
  package let pointer: String
  /// What was expected, and what was found.
  package let message: String

  /// An error about a part of a command.
  package init(_ pointer: String, _ message: String) {
    self.pointer = pointer
    self.message = message
  }

  /// The message and its place, such as `/device: there is no peripheral F0:F1:F2:F3:F4:F6`.
  package var description: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}
