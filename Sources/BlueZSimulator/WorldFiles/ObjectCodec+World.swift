// SPDX-License-Identifier: MIT
internal import JSON

/// A whole world file.
struct WorldDocument: Sendable {
  /// The schema that an editor uses; ignored.
  var schema: String?
  var world = World(peripherals: [])
}

extension Shape<WorldDocument> {
  static let world = Shape(
    "world", "a world", blank: WorldDocument(),
    [
      Key("$schema", \.schema, .text("a text", atMost: 1000), "The schema, for editors; ignored."),
      Key(
        "adapters", \.world.adapters, Shape<AdapterSpec>.adapter.form.list("an array of adapters"),
        "The Bluetooth adapters of the computer. Default: hci0, switched on."),
      .required(
        "peripherals", \.world.peripherals,
        Shape<PeripheralSpec>.peripheral.form.list("an array of peripherals"), "What is in the air."),
      Key(
        "events", \.world.events, CommandForm<WorldEvent>.events.form.list("an array of events"),
        "What happens by itself. Default: nothing."),
    ]
  ) { document, node throws(JSONError) in
    var mistakes = JSONMistakes()
    let world = document.world
    findTwins(world.adapters.map(\.name), in: node.at("adapters"), key: "name", &mistakes)
    findTwins(world.adapters.map(\.address), in: node.at("adapters"), key: "address", &mistakes)
    findTwins(world.peripherals.map(\.address), in: node.at("peripherals"), key: "address", &mistakes)
    for (index, event) in world.events.enumerated() {
      let place = node.at("events", .element(index))
      do throws(ControlError) {
        try world.check(event)
      } catch {
        mistakes.note(JSONError(place.at(pointer: error.pointer), error.message))
      }
    }
    try mistakes.rethrow()
  }

  private static func findTwins(
    _ words: [String], in list: JSONNode, key: String, _ mistakes: inout JSONMistakes
  ) {
    var first: [String: Int] = [:]
    for (index, word) in words.enumerated() {
      guard let other = first.updateValue(index, forKey: word) else { continue }
      let node = (list.elements?[index]).flatMap { $0[key] } ?? list
      mistakes.note(
        JSONError(
          node,
          "expected each \(key) once, found \(JSONText.quoted(word)) again (first at \(list.pointer)/\(other))"
        ))
    }
  }
}

extension Shape<AdapterSpec> {
  static let adapter = Shape(
    "adapter", "an adapter", blank: AdapterSpec(),
    [
      Key("name", \.name, .adapterName, "Such as hci0, which is the default."),
      Key("address", \.address, .address, "Its Bluetooth address. Default: 00:1A:7D:DA:71:13."),
      Key(
        "powered", \.isSwitchedOn, .flag,
        "Whether it is switched on. Default: true; false when it is blocked."),
      Key("blocked", \.isBlocked, .flag, "Whether rfkill blocks it. Default: false."),
    ])
}
