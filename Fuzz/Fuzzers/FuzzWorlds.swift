// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import JSON

/// Feeds any text to the reader of JSON, and to that of world files.
///
/// A world that is read is written and read again: both must be the same, and have a place for each attribute.
func fuzzWorlds(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  do throws(JSONError) {
    checkPlaces(try JSONReader.read(bytes))
  } catch {
    precondition(error.place.line > 0 && error.place.column > 0 && !error.description.isEmpty)
    return
  }
  do throws(WorldFileError) {
    let world = try World(json: bytes, name: "world.json", load: log)
    let json = world.json
    let copy = try World(json: json, name: "copy.json", load: log)
    precondition(copy == world && copy.json == json)
  } catch {
    precondition(error.description.hasPrefix("world.json:"), "written, but not read: \(error)")
  }
}

/// Values stand in the text in the order in which they are in the tree.
private func checkPlaces(_ node: JSONNode) {
  let inner = node.elements ?? node.members?.map(\.value) ?? []
  var last = (node.place.line, node.place.column)
  for value in inner {
    let place = (value.place.line, value.place.column)
    precondition(last < place, "\(value.pointer) stands at \(value.place)")
    last = place
    checkPlaces(value)
  }
}

/// A log for every path.
private func log(_ path: String) throws(WorldFileError) -> [UInt8] {
  Array(
    """
    {"event":"value","time":"2026-04-12T12:34:41.000000Z","characteristic":"2a37","value":"0048"}
    {"event":"value","time":"2026-04-12T12:34:42.5Z","characteristic":"2a37","value":"004a"}
    """.utf8)
}
