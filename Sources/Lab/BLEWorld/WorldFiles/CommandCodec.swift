// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Reads and writes commands as JSON objects whose key `do` determines the other keys.
struct CommandCodec<Value: Sendable>: Sendable {
  struct Entry: Sendable {
    let word: String
    let schema: Schema
    let read: @Sendable (JSONNode) throws(JSONError) -> Value
    /// Writes a value; returns false if it belongs to another command.
    let write: @Sendable (Value, inout JSONWriter) -> Bool
  }

  /// The expectation in errors, such as `a command`.
  let name: String
  let entries: [Entry]

  var codec: Codec<Value> {
    Codec(name, .any(entries.map(\.schema))) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      for entry in entries where entry.write(value, &json) { return }
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
      let isMisspelt = !CommandScope.commands.contains { $0.word == text }
      let nearest = isMisspelt ? Spelling.nearest(to: text, among: entries.map(\.word)) : nil
      let advice =
        nearest.map { "did you mean \(JSONText.quoted($0))?" }
        ?? "the names are \(entries.map(\.word).joined(separator: ", "))"
      throw JSONError(word, "expected the name of \(name), found \(word.summary): \(advice)")
    }
    return try entry.read(node)
  }
}

/// The keys of a command: its own, and those of its place.
private struct PlacedCommand<Own: Command>: Sendable {
  var place = CommandPlace()
  var own = Own()
  var word: String {
    get { Own.word }
    set {}
  }
}

extension CommandCodec.Entry {
  /// Creates an entry of a kind of commands; `prefix` is the kind of its object, such as `command`.
  ///
  /// `before` and `after` are the first and the last keys of its place, `target` those of its target.
  init<Own: Command>(
    _ kind: Own.Type, _ prefix: String, before: [Field<CommandPlace>] = [],
    target: [Field<CommandPlace>] = [], after: [Field<CommandPlace>] = [],
    check: @escaping @Sendable (CommandPlace, JSONNode) throws(JSONError) -> Void = {
      _, _ throws(JSONError) in
    },
    make: @escaping @Sendable (Own, CommandPlace) -> Value,
    take: @escaping @Sendable (Value) -> (command: any Command, place: CommandPlace)?
  ) {
    let word = Own.word
    let object = ObjectCodec<PlacedCommand<Own>>(
      "\(prefix)_" + String(word.map { $0 == "-" ? "_" : $0 }), "\(prefix) \(word)",
      defaults: PlacedCommand(),
      before.map { $0.lifted(\.place) } + [.required("do", \.word, .words([(word, word)]), Own.about)]
        + target.map { $0.lifted(\.place) } + Own.keys.map { $0.lifted(\.own) }
        + after.map { $0.lifted(\.place) }
    ) { fields, node throws(JSONError) in
      try check(fields.place, node)
    }
    let codec = object.codec
    self.init(word: word, schema: codec.schema) { node throws(JSONError) in
      let fields = try object.read(node)
      return make(fields.own, fields.place)
    } write: { value, json in
      guard let (command, place) = take(value), let own = command as? Own else { return false }
      codec.write(PlacedCommand(place: place, own: own), &json)
      return true
    }
  }

  /// Returns the same entry for values that contain those of this one.
  func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value) -> Other, _ take: @escaping @Sendable (Other) -> Value?
  ) -> CommandCodec<Other>.Entry {
    CommandCodec<Other>.Entry(word: word, schema: schema) { node throws(JSONError) in
      make(try read(node))
    } write: { other, json in
      take(other).map { write($0, &json) } ?? false
    }
  }
}

extension Command {
  /// The key `for`, if the command can be undone.
  fileprivate static var durationKey: [Field<CommandPlace>] {
    isUndoable ? [Field("for", \.duration, Codec.interval, "Undo it after this time.")] : []
  }

  fileprivate static func command(of scope: CommandScope) -> CommandCodec<ControlCommand>.Entry {
    CommandCodec.Entry(Self.self, "command", target: scope.keys, after: durationKey) { own, place in
      ControlCommand(scope.action(own, at: place), for: place.duration)
    } take: {
      ($0.action.command, CommandPlace($0))
    }
  }

  fileprivate static func event(of scope: CommandScope) -> CommandCodec<WorldEvent>.Entry {
    CommandCodec.Entry(
      Self.self, "event", before: CommandPlace.timeKeys, target: scope.keys, after: durationKey,
      check: CommandPlace.checkTime
    ) { own, place in
      WorldEvent(place.trigger, ControlCommand(scope.action(own, at: place), for: place.duration))
    } take: { event in
      var place = CommandPlace(event.command)
      place.trigger = event.trigger
      return (event.command.action.command, place)
    }
  }

  fileprivate static func fault<Scope>() -> CommandCodec<ScopedCommand<Scope>>.Entry {
    CommandCodec.Entry(Self.self, "fault") { own, _ in
      ScopedCommand(own)
    } take: {
      ($0.command, CommandPlace())
    }
  }
}

extension CommandCodec<ControlCommand> {
  /// The commands of the control channel.
  static let commands = CommandCodec(
    name: "a command",
    entries: CommandScope.allCases.flatMap { scope in scope.commands.map { $0.command(of: scope) } })
}

extension CommandCodec<PeripheralAction> {
  static let faults = CommandCodec(
    name: "a fault", entries: PeripheralScope.commands.filter { $0.isStanding }.map { $0.fault() })
}

extension CommandCodec<CharacteristicAction> {
  static let faults = CommandCodec(
    name: "a fault", entries: CharacteristicScope.commands.filter { $0.isStanding }.map { $0.fault() })
}

extension CommandCodec<WorldEvent> {
  static let events = CommandCodec(
    name: "an event",
    entries: CommandScope.allCases.flatMap { scope in scope.commands.map { $0.event(of: scope) } })
}

extension CommandPlace {
  fileprivate static let timeKeys: [Field<CommandPlace>] = [
    Field("at", \.at, Codec.duration, "When, counted from the start of the simulation."),
    Field("every", \.every, Codec.interval, "With at: the time between repetitions."),
    Field("when", \.condition, Codec.condition, "Instead of at: what triggers the event."),
  ]

  fileprivate static let checkTime: @Sendable (CommandPlace, JSONNode) throws(JSONError) -> Void = {
    place, node throws(JSONError) in
    if (place.at == nil) == (place.condition == nil) {
      throw JSONError(node, "expected one of the keys \"at\" and \"when\"")
    }
    if place.every != nil, place.at == nil {
      throw JSONError(node["every"] ?? node, "expected the key \"at\" with \"every\"")
    }
  }
}
