// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// A named command: its keys and its action.
struct CommandWord: Sendable {
  /// The target of a command, which determines the keys that name it.
  enum Scope: Sendable {
    case peripheral, characteristic, adapter, other
  }

  typealias Action = ControlCommand.Action

  let word: String
  let about: String
  let scope: Scope
  let keys: [Field<CommandObject>]
  /// Whether the key `for` can undo it.
  let isUndoable: Bool
  /// The action of an object that has all required keys.
  let make: @Sendable (CommandObject) -> Action?
  /// Sets the keys of an action; false when it belongs to another command.
  let take: @Sendable (Action, inout CommandObject) -> Bool

  /// All commands.
  static let all = peripheralWords + characteristicWords + adapterWords + daemonWords + otherClientWords

  static func word(of action: Action) -> CommandWord? {
    var fields = CommandObject("")
    return all.first { $0.take(action, &fields) }
  }

  // MARK: Kinds of commands

  static func peripheral(
    _ word: String, _ about: String, _ keys: [Field<CommandObject>] = [], isUndoable: Bool = true,
    make: @escaping @Sendable (CommandObject) -> PeripheralAction,
    take: @escaping @Sendable (PeripheralAction, inout CommandObject) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: .peripheral, keys: keys, isUndoable: isUndoable) { fields in
      fields.device.map { .peripheral($0, make(fields)) }
    } take: { action, fields in
      guard case .peripheral(let device, let command) = action else { return false }
      fields.device = device
      return take(command, &fields)
    }
  }

  static func characteristic(
    _ word: String, _ about: String, _ keys: [Field<CommandObject>] = [], isUndoable: Bool = true,
    make: @escaping @Sendable (CommandObject) -> CharacteristicAction,
    take: @escaping @Sendable (CharacteristicAction, inout CommandObject) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: .characteristic, keys: keys, isUndoable: isUndoable) {
      fields in
      fields.reference.map { .characteristic($0, make(fields)) }
    } take: { action, fields in
      guard case .characteristic(let reference, let command) = action else { return false }
      fields.reference = reference
      return take(command, &fields)
    }
  }

  static func adapter(_ word: String, _ about: String, _ command: AdapterAction) -> CommandWord {
    CommandWord(word: word, about: about, scope: .adapter, keys: [], isUndoable: command.undoing != nil) {
      fields in
      .adapter(fields.adapter, command)
    } take: { action, fields in
      guard case .adapter(let name, command) = action else { return false }
      fields.adapter = name
      return true
    }
  }

  static func daemon(
    _ word: String, _ about: String, _ keys: [Field<CommandObject>] = [],
    make: @escaping @Sendable (CommandObject) -> DaemonAction,
    take: @escaping @Sendable (DaemonAction, inout CommandObject) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: .other, keys: keys, isUndoable: true) { fields in
      .daemon(make(fields))
    } take: { action, fields in
      guard case .daemon(let command) = action else { return false }
      return take(command, &fields)
    }
  }

  static func otherClient(
    _ word: String, _ about: String, _ scope: Scope = .other, _ keys: [Field<CommandObject>] = [],
    isUndoable: Bool = false,
    make: @escaping @Sendable (CommandObject) -> OtherClientAction?,
    take: @escaping @Sendable (OtherClientAction, inout CommandObject) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: scope, keys: keys, isUndoable: isUndoable) { fields in
      make(fields).map { .otherClient($0) }
    } take: { action, fields in
      guard case .otherClient(let command) = action else { return false }
      return take(command, &fields)
    }
  }
}

/// A command as a JSON object: all keys that any command has.
struct CommandObject: Sendable, Hashable {
  /// The name of the command: the key `do`.
  var word: String
  var device: String?
  var service: BluetoothUUID?
  var characteristic: BluetoothUUID?
  var adapter = "hci0"
  /// How many times; nil is without limit.
  var times: Int?
  /// The time after which it is undone: the key `for`.
  var duration: Duration?
  /// The additional delay.
  var delay = Duration.zero
  var time = Duration.zero
  var packetTime: Duration?
  /// The number of a read or write on a link; 0 for none.
  var operations = 0
  var order = ServiceOrderWord.objectsFirst
  var rssi: Int16?
  var passkey: UInt32?
  var value: [UInt8] = []
  var code: UInt8 = 0
  var operation: AnswerFault.Operation?
  /// The name of an error; a name without a dot is one of `org.bluez.Error`.
  var error: String?
  var text: String?
  var method = ""
  var services: [BluetoothUUID] = []
  var pattern: String?
  var duplicates = false

  // MARK: Events

  /// The time, counted from the start.
  var at: Duration?
  var every: Duration?
  /// The trigger of an event without a time: the key `when`.
  var condition: WorldEvent.Trigger?

  init(_ word: String) { self.word = word }

  /// The characteristic that the command names.
  var reference: CharacteristicReference? {
    get {
      guard let device, let characteristic else { return nil }
      return CharacteristicReference(device: device, service: service, uuid: characteristic)
    }
    set {
      device = newValue?.device
      service = newValue?.service
      characteristic = newValue?.uuid
    }
  }

  /// The error; nil without name and text.
  var bluezError: BlueZError? {
    get {
      if error == nil, text == nil { return nil }
      let name = error ?? "Failed"
      return BlueZError(name.contains(".") ? name : CommandObject.errors + name, text ?? "")
    }
    set {
      let isShort = newValue.map { $0.name.hasPrefix(CommandObject.errors) } ?? false
      error = newValue.map { isShort ? String($0.name.dropFirst(CommandObject.errors.count)) : $0.name }
      text = newValue?.text
    }
  }

  private static let errors = "org.bluez.Error."
}

/// The order of the services without its delay.
enum ServiceOrderWord: String, CaseIterable {
  case objectsFirst = "objects_first"
  case resolvedFirst = "resolved_first"
  case objectsLate = "objects_late"
}

extension ControlCommand.Action {
  /// The name of the command: the key `do`.
  package var word: String { CommandWord.word(of: self)?.word ?? "" }
}
