// SPDX-License-Identifier: MIT

/// Something that happens to the simulated world behind the back of its clients.
///
/// One vocabulary for three uses: a world file plays commands at their time, the control channel takes them while the
/// simulation runs, and tests hand them to ``Simulator/perform(_:)``. docs/faults.md lists them.
package struct ControlCommand: Sendable, Hashable {
  /// What happens, and to whom.
  package enum Action: Sendable, Hashable {
    /// To a peripheral, named by its address.
    case peripheral(String, PeripheralCommand)
    /// To a characteristic.
    case characteristic(CharacteristicReference, CharacteristicCommand)
    /// To an adapter, named such as `hci0`.
    case adapter(String, AdapterCommand)
    /// To the daemon.
    case daemon(DaemonCommand)
    /// Another program does something on the bus.
    case otherClient(OtherClientCommand)
  }

  /// What happens, and to whom.
  package var action: Action
  /// After how long it is undone; nil is never.
  package var duration: Duration?

  /// A command.
  ///
  /// - Parameters:
  ///   - action: what happens.
  ///   - duration: after how long it is undone; only for what has an ``Action/undoing``.
  package init(_ action: Action, for duration: Duration? = nil) {
    self.action = action
    self.duration = duration
  }

  /// What happens to a peripheral.
  package static func peripheral(
    _ address: String, _ command: PeripheralCommand, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.peripheral(address, command), for: duration)
  }

  /// What happens to the first characteristic of a peripheral with a UUID.
  package static func characteristic(
    _ uuid: AttributeUUID, of device: String, _ command: CharacteristicCommand, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(
      .characteristic(CharacteristicReference(device: device, uuid: uuid), command), for: duration)
  }

  /// What happens to an adapter.
  package static func adapter(
    _ command: AdapterCommand, _ name: String = "hci0", for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.adapter(name, command), for: duration)
  }

  /// What happens to the daemon.
  package static func daemon(_ command: DaemonCommand, for duration: Duration? = nil) -> ControlCommand {
    ControlCommand(.daemon(command), for: duration)
  }

  /// What another program does.
  package static func otherClient(
    _ command: OtherClientCommand, for duration: Duration? = nil
  ) -> ControlCommand {
    ControlCommand(.otherClient(command), for: duration)
  }
}

extension ControlCommand.Action {
  /// What takes it back; nil for what happens once and is over.
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
  /// The service to look in; nil is any.
  package var service: AttributeUUID?
  /// The first characteristic with this UUID is meant.
  package var uuid: AttributeUUID

  /// The first characteristic with a UUID, in one service or in any.
  package init(device: String, service: AttributeUUID? = nil, uuid: AttributeUUID) {
    self.device = device
    self.service = service
    self.uuid = uuid
  }
}
