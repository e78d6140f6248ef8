// SPDX-License-Identifier: MIT
internal import JSON

/// A word of the vocabulary of commands: which keys it has, and which action it is.
struct CommandWord: Sendable {
  /// To whom a command happens, which says what names it.
  enum Scope: Sendable {
    case peripheral, characteristic, adapter, other
  }

  typealias Action = ControlCommand.Action

  let word: String
  let about: String
  let scope: Scope
  let keys: [Key<CommandFields>]
  /// Whether it can be undone after a while.
  let isUndoable: Bool
  /// The action of some fields, which hold what the keys require.
  let make: @Sendable (CommandFields) -> Action?
  /// Fills in what an action says; false when it is none of this word.
  let take: @Sendable (Action, inout CommandFields) -> Bool

  /// All words.
  static let all = peripheralWords + characteristicWords + adapterWords + daemonWords + otherClientWords

  static func word(of action: Action) -> CommandWord? {
    var fields = CommandFields("")
    return all.first { $0.take(action, &fields) }
  }

  // MARK: Kinds of words

  static func peripheral(
    _ word: String, _ about: String, _ keys: [Key<CommandFields>] = [], isUndoable: Bool = true,
    make: @escaping @Sendable (CommandFields) -> PeripheralCommand,
    take: @escaping @Sendable (PeripheralCommand, inout CommandFields) -> Bool
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
    _ word: String, _ about: String, _ keys: [Key<CommandFields>] = [], isUndoable: Bool = true,
    make: @escaping @Sendable (CommandFields) -> CharacteristicCommand,
    take: @escaping @Sendable (CharacteristicCommand, inout CommandFields) -> Bool
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

  static func adapter(
    _ word: String, _ about: String, _ command: AdapterCommand, isUndoable: Bool = true
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: .adapter, keys: [], isUndoable: isUndoable) { fields in
      .adapter(fields.adapter, command)
    } take: { action, fields in
      guard case .adapter(let name, command) = action else { return false }
      fields.adapter = name
      return true
    }
  }

  static func daemon(
    _ word: String, _ about: String, _ keys: [Key<CommandFields>] = [],
    make: @escaping @Sendable (CommandFields) -> DaemonCommand,
    take: @escaping @Sendable (DaemonCommand, inout CommandFields) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: .other, keys: keys, isUndoable: true) { fields in
      .daemon(make(fields))
    } take: { action, fields in
      guard case .daemon(let command) = action else { return false }
      return take(command, &fields)
    }
  }

  static func otherClient(
    _ word: String, _ about: String, _ scope: Scope = .other, _ keys: [Key<CommandFields>] = [],
    isUndoable: Bool = false,
    make: @escaping @Sendable (CommandFields) -> OtherClientCommand?,
    take: @escaping @Sendable (OtherClientCommand, inout CommandFields) -> Bool
  ) -> CommandWord {
    CommandWord(word: word, about: about, scope: scope, keys: keys, isUndoable: isUndoable) { fields in
      make(fields).map { .otherClient($0) }
    } take: { action, fields in
      guard case .otherClient(let command) = action else { return false }
      return take(command, &fields)
    }
  }
}
