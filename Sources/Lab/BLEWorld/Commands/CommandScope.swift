// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// A kind of target: the table of its commands, and the keys that name it.
enum CommandScope: CaseIterable {
  case peripheral, characteristic, adapter, daemon, otherClient

  /// The commands, in the order of the documentation.
  var commands: [any Command.Type] {
    switch self {
    case .peripheral: PeripheralScope.commands
    case .characteristic: CharacteristicScope.commands
    case .adapter: AdapterScope.commands
    case .daemon: DaemonScope.commands
    case .otherClient: OtherClientScope.commands
    }
  }

  static var commands: [any Command.Type] { allCases.flatMap(\.commands) }

  /// The keys that name the target.
  var keys: [Field<CommandPlace>] {
    switch self {
    case .peripheral: [.device(\.reference.device)]
    case .characteristic:
      [
        .device(\.reference.device), .service(\.reference.service),
        .characteristic(\.reference.uuid),
      ]
    case .adapter: [.adapter(\.adapter)]
    case .daemon, .otherClient: []
    }
  }

  func action(_ command: some Command, at place: CommandPlace) -> ControlCommand.Action {
    switch self {
    case .peripheral: .peripheral(place.reference.device, PeripheralAction(command))
    case .characteristic: .characteristic(place.reference, CharacteristicAction(command))
    case .adapter: .adapter(place.adapter, AdapterAction(command))
    case .daemon: .daemon(DaemonAction(command))
    case .otherClient: .otherClient(OtherClientAction(command))
    }
  }
}

/// The target and the time of a command, as its object names them.
struct CommandPlace: Sendable {
  var reference = CharacteristicReference.none
  var adapter = "hci0"
  /// The time after which it is undone: the key `for`.
  var duration: Duration?
  /// The time of an event, counted from the start.
  var at: Duration?
  var every: Duration?
  /// The trigger of an event without a time: the key `when`.
  var condition: WorldEvent.Trigger?

  init() {}

  init(_ command: ControlCommand) {
    duration = command.duration
    switch command.action {
    case .peripheral(let device, _): reference.device = device
    case .characteristic(let reference, _): self.reference = reference
    case .adapter(let name, _): adapter = name
    case .daemon, .otherClient: break
    }
  }
}

extension ControlCommand.Action {
  var command: any Command {
    switch self {
    case .peripheral(_, let action): action.command
    case .characteristic(_, let action): action.command
    case .adapter(_, let action): action.command
    case .daemon(let action): action.command
    case .otherClient(let action): action.command
    }
  }

  /// The value of the key `do`.
  package var word: String { type(of: command).word }

  package var limit: String? { command.limit }

  package var undoing: ControlCommand.Action? {
    switch self {
    case .peripheral(let address, let action): action.undoing.map { .peripheral(address, $0) }
    case .characteristic(let reference, let action): action.undoing.map { .characteristic(reference, $0) }
    case .adapter(let name, let action): action.undoing.map { .adapter(name, $0) }
    case .daemon(let action): action.undoing.map { .daemon($0) }
    case .otherClient(let action): action.undoing.map { .otherClient($0) }
    }
  }
}

extension CharacteristicReference {
  /// The value before the required keys are read.
  static let none = CharacteristicReference(device: "", uuid: BluetoothUUID(0))
}
