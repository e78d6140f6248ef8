// SPDX-License-Identifier: MIT
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
