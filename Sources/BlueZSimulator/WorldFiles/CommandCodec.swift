// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// How commands stand in JSON: objects whose key `do` tells the word, which tells the other keys.
struct CommandForm<Value: Sendable>: Sendable {
  /// A word, and the object that it makes.
  struct Entry: Sendable {
    let word: String
    let shape: Shape<CommandFields>
    let make: @Sendable (CommandFields) -> Value?
    let take: @Sendable (Value, inout CommandFields) -> Bool
  }

  /// What is expected: `a command`.
  let name: String
  let entries: [Entry]

  /// Reads and writes them.
  var form: Form<Value> {
    Form(name, .any(entries.map(\.shape.form.schema))) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      for entry in entries {
        var fields = CommandFields(entry.word)
        guard entry.take(value, &fields) else { continue }
        return entry.shape.form.write(fields, &json)
      }
    }
  }

  private func read(_ node: JSONNode) throws(JSONError) -> Value {
    guard node.members != nil else {
      throw node.isNot("\(name), an object such as {\"do\":\(JSONText.quoted(entries[0].word)), …}")
    }
    guard let word = node["do"] else {
      throw JSONError(node, "expected the key \"do\", which is missing")
    }
    guard let text = word.string else { throw word.isNot("the word of \(name)") }
    guard let entry = entries.first(where: { $0.word == text }) else {
      // A word that is right elsewhere is not misspelt.
      let isMisspelt = !CommandWord.all.contains { $0.word == text }
      let nearest = isMisspelt ? Spelling.nearest(to: text, among: entries.map(\.word)) : nil
      let advice =
        nearest.map { "did you mean \(JSONText.quoted($0))?" }
        ?? "there are \(entries.map(\.word).joined(separator: ", "))"
      throw JSONError(word, "expected the word of \(name), found \(word.summary): \(advice)")
    }
    let fields = try entry.shape.read(node)
    guard let value = entry.make(fields) else { throw JSONError(node, "expected \(name) that is complete") }
    return value
  }
}

extension CommandWord {
  /// The object of this word, with the keys of its context before its own.
  fileprivate func shape(
    _ prefix: String, before: [Key<CommandFields>] = [], after: [Key<CommandFields>],
    check: @escaping @Sendable (CommandFields, JSONNode) throws(JSONError) -> Void = {
      _, _ throws(JSONError) in
    }
  ) -> Shape<CommandFields> {
    let word = word
    let constant = Form<String>.words([(word, word)])
    return Shape(
      "\(prefix)_" + String(word.map { $0 == "-" ? "_" : $0 }), "\(prefix) \(word)",
      blank: CommandFields(word),
      before + [.required("do", \.word, constant, about)] + after, check: check)
  }

  /// What names whom it happens to.
  private var scopeKeys: [Key<CommandFields>] {
    switch scope {
    case .peripheral: [.device]
    case .characteristic: [.device, .service, .characteristic]
    case .adapter: [.adapter]
    case .other: []
    }
  }

  fileprivate var allKeys: [Key<CommandFields>] { scopeKeys + keys + (isUndoable ? [.duration] : []) }
}

extension CommandForm<ControlCommand> {
  /// The commands of the control channel.
  static let commands = CommandForm(
    name: "a command",
    entries: CommandWord.all.map { word in
      CommandForm.Entry(word: word.word, shape: word.shape("command", after: word.allKeys)) { fields in
        word.make(fields).map { ControlCommand($0, for: fields.duration) }
      } take: { command, fields in
        fields.duration = command.duration
        return word.take(command.action, &fields)
      }
    })
}

extension CommandForm<PeripheralCommand> {
  /// What is wrong with a peripheral from the beginning.
  static let faults = CommandForm(
    name: "a fault",
    entries: CommandWord.peripheralWords.filter(\.isStanding).map { word in
      CommandForm.Entry(word: word.word, shape: word.shape("fault", after: word.keys)) { fields in
        var fields = fields
        fields.device = ""
        guard case .peripheral(_, let command) = word.make(fields) else { return nil }
        return command
      } take: { command, fields in
        word.take(.peripheral("", command), &fields)
      }
    })
}

extension CommandForm<CharacteristicCommand> {
  /// What is wrong with a characteristic from the beginning.
  static let faults = CommandForm(
    name: "a fault",
    entries: CommandWord.characteristicWords.filter(\.isStanding).map { word in
      CommandForm.Entry(word: word.word, shape: word.shape("fault", after: word.keys)) { fields in
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
  /// One that is named by its place.
  fileprivate static func none(of device: String) -> CharacteristicReference {
    CharacteristicReference(device: device, uuid: AttributeUUID(0))
  }
}

extension JSONNode {
  /// The value at a pointer below this one, or the last one that there is on the way.
  func at(pointer: String) -> JSONNode {
    pointer.split(separator: "/").reduce(self) { $0[String($1)] ?? $0 }
  }
}

extension CommandWord {
  /// Whether what it says lasts: only then can it be so from the beginning.
  fileprivate var isStanding: Bool {
    var fields = CommandFields(word)
    fields.reference = .none(of: "")
    switch make(fields) {
    case .peripheral(_, let command): return command.isStanding
    case .characteristic(_, let command): return command.isStanding
    default: return false
    }
  }
}

extension CommandForm<WorldEvent> {
  /// Commands that are played at their time.
  static let events = CommandForm(
    name: "an event",
    entries: CommandWord.all.map { word in
      CommandForm.Entry(
        word: word.word,
        shape: word.shape("event", before: timeKeys, after: word.allKeys, check: checkTime)
      ) { fields in
        guard let action = word.make(fields), let trigger = fields.trigger else { return nil }
        return WorldEvent(trigger, ControlCommand(action, for: fields.duration))
      } take: { event, fields in
        fields.trigger = event.trigger
        fields.duration = event.command.duration
        return word.take(event.command.action, &fields)
      }
    })

  private static let timeKeys: [Key<CommandFields>] = [
    Key("at", \.at, Form.duration, "When, counted from the start of the simulation."),
    Key("every", \.every, Form.interval, "With at: again each time that this is over."),
    Key("when", \.condition, EventCondition.form, "In the place of at: what has to happen first."),
  ]

  private static let checkTime: @Sendable (CommandFields, JSONNode) throws(JSONError) -> Void = {
    fields, node throws(JSONError) in
    if (fields.at == nil) == (fields.condition == nil) {
      throw JSONError(node, "expected one of the keys \"at\" and \"when\"")
    }
    if fields.every != nil, fields.at == nil {
      throw JSONError(node["every"] ?? node, "expected the key \"at\" beside \"every\"")
    }
  }
}
