// SPDX-License-Identifier: MIT
internal import JSON

struct WorldDocument: Sendable {
  /// The schema for editors, which is ignored.
  var schema: String?
  var world = World(peripherals: [])
}

extension ObjectCodec<WorldDocument> {
  static let world = ObjectCodec(
    "world", "a world", defaults: WorldDocument(),
    [
      Field("$schema", \.schema, .text("a text", atMost: 1000), "The schema, for editors; ignored."),
      Field(
        "bluez", \.world.bluez, .words(BlueZRelease.allCases.map { ($0.rawValue, $0) }),
        "The version of BlueZ that is imitated. Default: \"5.66\"."),
      Field(
        "adapters", \.world.adapters, ObjectCodec<AdapterSpec>.adapter.codec.list("an array of adapters"),
        "The Bluetooth adapters of the computer. Default: hci0, powered."),
      .required(
        "peripherals", \.world.peripherals,
        ObjectCodec<PeripheralSpec>.peripheral.codec.list("an array of peripherals"), "The peripherals."),
      Field(
        "events", \.world.events, CommandCodec<WorldEvent>.events.codec.list("an array of events"),
        "Events that happen during the simulation. Default: none."),
    ]
  ) { document, node throws(JSONError) in
    var mistakes = JSONMistakes()
    let world = document.world
    findTwins(world.adapters.map(\.name), in: node.at("adapters"), key: "name", &mistakes)
    findTwins(world.adapters.map(\.address), in: node.at("adapters"), key: "address", &mistakes)
    findTwins(world.peripherals.map(\.address), in: node.at("peripherals"), key: "address", &mistakes)
    for (index, event) in world.events.enumerated() {
      let place = node.at("events/\(index)")
      do throws(ControlError) {
        try world.check(event)
      } catch {
        mistakes.note(JSONError(place.at(error.pointer), error.message))
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

extension ObjectCodec<AdapterSpec> {
  static let adapter = ObjectCodec(
    "adapter", "an adapter", defaults: AdapterSpec(),
    [
      Field("name", \.name, .adapterName, "The name. Default: hci0."),
      Field("address", \.address, .address, "Its Bluetooth address. Default: 00:1A:7D:DA:71:13."),
      Field(
        "powered", \.isSwitchedOn, .flag,
        "Whether it is powered. Default: true, or false when it is blocked."),
      Field("blocked", \.isBlocked, .flag, "Whether rfkill blocks it. Default: false."),
    ])
}
