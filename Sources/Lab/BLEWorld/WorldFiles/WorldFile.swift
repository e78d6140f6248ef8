// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import Glibc
internal import JSON

/// The reason that a world file is invalid.
package struct WorldFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file, line and column, the JSON pointer, and what was expected; or the number of mistakes.
  ///
  /// For example `world.json:12:18: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"`.
  package let description: String
  /// The first of several mistakes, each described like a single one.
  package let mistakes: [String]

  init(_ file: String, _ error: JSONError) {
    let report = JSONReport(error, in: file)
    (description, mistakes) = (report.summary, report.mistakes)
  }

  init(_ file: String, cause: String) {
    description = "\(file): \(cause)"
    mistakes = []
  }
}

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
    for (index, peripheral) in world.peripherals.enumerated() {
      guard let address = peripheral.bootloaderAddress,
        let twin = world.peripherals.indices.first(where: { other in
          other != index
            && [world.peripherals[other].address, world.peripherals[other].bootloaderAddress].contains(
              address)
        })
      else { continue }
      mistakes.note(
        JSONError(
          node.at("peripherals/\(index)/dfu"),
          "expected a free address for its boot loader, found \(address) again (at /peripherals/\(twin))"))
    }
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

extension World {
  /// Loads a world from a file, to which the paths of logs are relative; `names` finds UUIDs by names of the user's own.
  package init(file path: String, names: OwnNames? = nil) throws(WorldFileError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let bytes = try FileBytes.read(path)
    try self.init(
      json: bytes, name: path,
      load: { log throws(WorldFileError) in
        try FileBytes.read(log.hasPrefix("/") ? log : folder + log)
      }, names: names)
  }

  /// Loads a world from a text in UTF-8, by its name in errors; `load` reads a log that the world names.
  package init(
    json: [UInt8], name: String, load: (String) throws(WorldFileError) -> [UInt8], names: OwnNames? = nil
  ) throws(WorldFileError) {
    do throws(JSONError) {
      let file = try JSONReader.read(json)
      let root = names.map { file.resolving($0) } ?? file
      self = try ObjectCodec.world.read(root).world
      try loadLogs(root, load)
    } catch {
      throw WorldFileError(name, error)
    }
  }

  /// The world as an indented file, which ``init(file:)`` can read.
  package var json: [UInt8] { json(.indented) }

  /// The world on one line.
  package var jsonLine: [UInt8] { json(.line) }

  private func json(_ layout: JSONWriter.Layout) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 16_384, layout: layout)
    ObjectCodec.world.codec.write(WorldDocument(world: self), &json)
    json.endRecord()
    return json.bytes
  }
}

enum FileBytes {
  /// Far more than any real world or log, but refuses endless files.
  private static let limit = 256 << 20

  static func read(_ path: String) throws(WorldFileError) -> [UInt8] {
    do throws(WholeFile.Failure) {
      return try WholeFile.read(path, atMost: limit)
    } catch {
      throw WorldFileError(path, cause: error.cause(limit: limit))
    }
  }
}
