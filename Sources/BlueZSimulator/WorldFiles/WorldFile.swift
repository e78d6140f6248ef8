// SPDX-License-Identifier: MIT
internal import Glibc
internal import JSON

/// Why a file is no world.
package struct WorldFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// How many mistakes are named.
  static let limit = 20

  /// The file, its line and column, the JSON pointer, and what was expected:
  /// `world.json:12:18: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"`; or how many mistakes
  /// the file has.
  package let description: String
  /// Where there are several mistakes: the first of them, each as the description of a single one.
  package let mistakes: [String]

  init(_ file: String, _ error: JSONError) {
    let lines = ([error] + error.others).map { "\(file):\($0)" }
    guard lines.count > 1 else {
      description = lines[0]
      mistakes = []
      return
    }
    let isCut = lines.count > WorldFileError.limit
    description =
      "\(file): there are \(lines.count) mistakes"
      + (isCut ? ", of which these are the first \(WorldFileError.limit)" : "")
    mistakes = Array(lines.prefix(WorldFileError.limit))
  }

  /// A file that cannot be read.
  init(_ file: String, cause: String) {
    description = "\(file): \(cause)"
    mistakes = []
  }
}

extension World {
  /// The world that a file holds.
  ///
  /// - Parameter path: the file; the logs that it names are looked for beside it.
  /// - Throws: what is wrong with the file, or with a log, and where.
  package init(file path: String) throws(WorldFileError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    try self.init(json: try FileBytes.read(path), name: path) { log throws(WorldFileError) in
      try FileBytes.read(log.hasPrefix("/") ? log : folder + log)
    }
  }

  /// The world that a text describes.
  ///
  /// - Parameters:
  ///   - json: the text, UTF-8.
  ///   - name: what errors call it.
  ///   - load: reads a log that the world names.
  /// - Throws: what is wrong with the text, or with a log, and where.
  package init(
    json: [UInt8], name: String, load: (String) throws(WorldFileError) -> [UInt8]
  ) throws(WorldFileError) {
    do throws(JSONError) {
      let root = try JSONReader.read(json)
      self = try Shape.world.read(root).world
      try loadRecordings(root, load)
    } catch {
      throw WorldFileError(name, error)
    }
  }

  /// The world as a file, for people and for ``init(file:)``.
  package var json: [UInt8] { json(.indented) }

  /// The same on one line.
  package var jsonLine: [UInt8] { json(.line) }

  private func json(_ layout: JSONWriter.Layout) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 16_384, layout: layout)
    Shape.world.form.write(WorldDocument(world: self), &json)
    json.endRecord()
    return json.bytes
  }

  /// The JSON Schema of world files.
  package static var schema: [UInt8] {
    Schema.document(Shape.world.schema, title: "A world for blectl simulate")
  }

  // MARK: Logs

  private mutating func loadRecordings(
    _ root: JSONNode, _ load: (String) throws(WorldFileError) -> [UInt8]
  ) throws(JSONError) {
    var mistakes = JSONMistakes()
    for (first, peripheral) in peripherals.enumerated() {
      for (second, service) in peripheral.services.enumerated() {
        for (third, characteristic) in service.characteristics.enumerated() {
          guard case .replay(var recording) = characteristic.notifying else { continue }
          let node = root.at(
            "peripherals", .element(first), "services", .element(second), "characteristics", .element(third),
            "notifies", "replay")
          let samples = mistakes.collect { () throws(JSONError) in
            try World.samples(of: recording, characteristic.uuid, node, load)
          }
          recording.samples = samples ?? []
          peripherals[first].services[second].characteristics[third].notifying = .replay(recording)
        }
      }
    }
    try mistakes.rethrow()
  }

  private static func samples(
    of recording: Recording, _ owner: AttributeUUID, _ node: JSONNode,
    _ load: (String) throws(WorldFileError) -> [UInt8]
  ) throws(JSONError) -> [Recording.Sample] {
    let wanted = recording.characteristic ?? owner
    let log: [UInt8]
    do throws(WorldFileError) { log = try load(recording.path) } catch { throw JSONError(node, "\(error)") }
    let samples: [Recording.Sample]
    do throws(JSONError) {
      samples = try Recording.samples(in: log, of: wanted)
    } catch {
      throw JSONError(node, "expected a log of JSON records: \(recording.path):\(error)")
    }
    guard !samples.isEmpty else {
      throw JSONError(
        node, "expected a log with values of \(wanted.shortText), found none in \(recording.path)")
    }
    return samples
  }
}
