// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// Reads and writes commands as JSON objects whose key `do` determines the other keys.
struct CommandCodec<Value: Sendable>: Sendable {
  /// The name of a command and its object.
  struct Entry: Sendable {
    let word: String
    let object: ObjectCodec<CommandObject>
    let make: @Sendable (CommandObject) -> Value?
    let take: @Sendable (Value, inout CommandObject) -> Bool
  }

  /// What is expected: `a command`.
  let name: String
  let entries: [Entry]

  /// Reads and writes them.
  var codec: Codec<Value> {
    Codec(name, .any(entries.map(\.object.codec.schema))) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      for entry in entries {
        var fields = CommandObject(entry.word)
        guard entry.take(value, &fields) else { continue }
        return entry.object.codec.write(fields, &json)
      }
    }
  }

  private func read(_ node: JSONNode) throws(JSONError) -> Value {
    guard node.members != nil else {
      throw node.mismatch("\(name), an object such as {\"do\":\(JSONText.quoted(entries[0].word)), …}")
    }
    guard let word = node["do"] else {
      throw JSONError(node, "expected the key \"do\", which is missing")
    }
    guard let text = word.string else { throw word.mismatch("the name of \(name)") }
    guard let entry = entries.first(where: { $0.word == text }) else {
      // A name that is valid elsewhere is not misspelt.
      let isMisspelt = !CommandWord.all.contains { $0.word == text }
      let nearest = isMisspelt ? Spelling.nearest(to: text, among: entries.map(\.word)) : nil
      let advice =
        nearest.map { "did you mean \(JSONText.quoted($0))?" }
        ?? "the names are \(entries.map(\.word).joined(separator: ", "))"
      throw JSONError(word, "expected the name of \(name), found \(word.summary): \(advice)")
    }
    let fields = try entry.object.read(node)
    guard let value = entry.make(fields) else { throw JSONError(node, "expected \(name) with all its keys") }
    return value
  }
}

extension CommandWord {
  /// The object of this command, with the keys of its context before and after its name.
  fileprivate func object(
    _ prefix: String, before: [Field<CommandObject>] = [], after: [Field<CommandObject>],
    check: @escaping @Sendable (CommandObject, JSONNode) throws(JSONError) -> Void = {
      _, _ throws(JSONError) in
    }
  ) -> ObjectCodec<CommandObject> {
    let word = word
    let constant = Codec<String>.words([(word, word)])
    return ObjectCodec(
      "\(prefix)_" + String(word.map { $0 == "-" ? "_" : $0 }), "\(prefix) \(word)",
      defaults: CommandObject(word),
      before + [.required("do", \.word, constant, about)] + after, check: check)
  }

  /// The keys for the target.
  private var scopeKeys: [Field<CommandObject>] {
    switch scope {
    case .peripheral: [.device]
    case .characteristic: [.device, .service, .characteristic]
    case .adapter: [.adapter]
    case .other: []
    }
  }

  fileprivate var allKeys: [Field<CommandObject>] { scopeKeys + keys + (isUndoable ? [.duration] : []) }
}

extension CommandCodec<ControlCommand> {
  /// The commands of the control channel.
  static let commands = CommandCodec(
    name: "a command",
    entries: CommandWord.all.map { word in
      CommandCodec.Entry(word: word.word, object: word.object("command", after: word.allKeys)) { fields in
        word.make(fields).map { ControlCommand($0, for: fields.duration) }
      } take: { command, fields in
        fields.duration = command.duration
        return word.take(command.action, &fields)
      }
    })
}

extension CommandCodec<PeripheralAction> {
  /// The faults of a peripheral.
  static let faults = CommandCodec(
    name: "a fault",
    entries: CommandWord.peripheralWords.filter(\.isStanding).map { word in
      CommandCodec.Entry(word: word.word, object: word.object("fault", after: word.keys)) { fields in
        var fields = fields
        fields.device = ""
        guard case .peripheral(_, let command) = word.make(fields) else { return nil }
        return command
      } take: { command, fields in
        word.take(.peripheral("", command), &fields)
      }
    })
}

extension CommandCodec<CharacteristicAction> {
  /// The faults of a characteristic.
  static let faults = CommandCodec(
    name: "a fault",
    entries: CommandWord.characteristicWords.filter(\.isStanding).map { word in
      CommandCodec.Entry(word: word.word, object: word.object("fault", after: word.keys)) { fields in
        var fields = fields
        fields.reference = .none(of: "")
        guard case .characteristic(_, let command) = word.make(fields) else { return nil }
        return command
      } take: { command, fields in
        word.take(.characteristic(.none(of: ""), command), &fields)
      }
    })
}

extension CharacteristicReference {
  /// A reference for a fault, whose place in the file names the characteristic.
  fileprivate static func none(of device: String) -> CharacteristicReference {
    CharacteristicReference(device: device, uuid: BluetoothUUID(0))
  }
}

extension CommandWord {
  /// Whether it is a lasting fault, as `faults` can list.
  fileprivate var isStanding: Bool {
    var fields = CommandObject(word)
    fields.reference = .none(of: "")
    switch make(fields) {
    case .peripheral(_, let command): return command.isStanding
    case .characteristic(_, let command): return command.isStanding
    default: return false
    }
  }
}

extension CommandCodec<WorldEvent> {
  /// Commands that run at a given time.
  static let events = CommandCodec(
    name: "an event",
    entries: CommandWord.all.map { word in
      CommandCodec.Entry(
        word: word.word,
        object: word.object("event", before: timeKeys, after: word.allKeys, check: checkTime)
      ) { fields in
        guard let action = word.make(fields), let trigger = fields.trigger else { return nil }
        return WorldEvent(trigger, ControlCommand(action, for: fields.duration))
      } take: { event, fields in
        fields.trigger = event.trigger
        fields.duration = event.command.duration
        return word.take(event.command.action, &fields)
      }
    })

  private static let timeKeys: [Field<CommandObject>] = [
    Field("at", \.at, Codec.duration, "When, counted from the start of the simulation."),
    Field("every", \.every, Codec.interval, "With at: the time between repetitions."),
    Field("when", \.condition, Codec.condition, "Instead of at: what triggers the event."),
  ]

  private static let checkTime: @Sendable (CommandObject, JSONNode) throws(JSONError) -> Void = {
    fields, node throws(JSONError) in
    if (fields.at == nil) == (fields.condition == nil) {
      throw JSONError(node, "expected one of the keys \"at\" and \"when\"")
    }
    if fields.every != nil, fields.at == nil {
      throw JSONError(node["every"] ?? node, "expected the key \"at\" with \"every\"")
    }
  }
}
