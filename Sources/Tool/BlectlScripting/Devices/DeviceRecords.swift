// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// The contents of a `--record` file: what was sent to some devices, and what they sent.
struct DeviceRecords: Sendable {
  enum Kind: Sendable { case written, read, notified }

  struct Event: Sendable, CharacteristicCandidate {
    let kind: Kind
    /// RFC 3339 in UTC, which sorts as text.
    let time: String
    let uuid: BluetoothUUID
    let service: BluetoothUUID
    let handle: UInt16
    let bytes: [UInt8]
    /// The descriptor that has the value; nil for the characteristic itself.
    let descriptor: BluetoothUUID?
    /// The number of bytes of the value before these.
    let offset: Int
  }

  /// The size of the longest file in bytes.
  private static let longestFile = 256 << 20

  /// The events of each device in the order of their times, and its name.
  private(set) var devices: [BluetoothAddress: (name: String?, events: [Event])] = [:]

  /// Reads a file.
  ///
  /// - Throws: ``CommandError`` with status usage and the line that is wrong.
  init(path: String) throws {
    let name = TerminalSafe.escaped(path)
    let bytes = try ValueSource.content(of: path, most: Self.longestFile)
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let node: JSONNode
      do throws(JSONError) {
        node = try JSONReader.read(line)
      } catch {
        throw CommandError.usage("cannot check \(name): line \(index + 1): \(error)")
      }
      guard add(node) else {
        throw CommandError.usage("cannot check \(name): line \(index + 1) is not a record of 'run --record'")
      }
    }
    if devices.isEmpty { throw CommandError.usage("cannot check \(name): it contains no records") }
    for address in devices.keys { devices[address]?.events.sort { $0.time < $1.time } }
  }

  /// Adds a record; false if it is not one.
  private mutating func add(_ node: JSONNode) -> Bool {
    guard let word = node["event"]?.string else { return false }
    guard let address = node["address"]?.string.flatMap({ BluetoothAddress($0) }) else {
      return word == "dropped"
    }
    var device = devices[address] ?? (nil, [])
    device.name = node["name"]?.string ?? device.name
    defer { devices[address] = device }
    let kind: Kind
    switch (word, node["via"]?.string) {
    case ("written", _): kind = .written
    case ("value", "read"): kind = .read
    case ("value", _): kind = .notified
    default: return true
    }
    guard let time = node["time"]?.string,
      let uuid = node["characteristic"]?.string.flatMap({ BluetoothUUID($0) }),
      let service = node["service"]?.string.flatMap({ BluetoothUUID($0) }),
      let handle = node["handle"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let bytes = node["value"]?.string.flatMap({ Hex.bytes($0) })
    else { return false }
    var descriptor: BluetoothUUID?
    if let text = node["descriptor"]?.string {
      descriptor = BluetoothUUID(text)
      if descriptor == nil { return false }
    }
    var offset = 0
    if let node = node["offset"] {
      guard let number = node.integer else { return false }
      offset = number
    }
    device.events.append(
      Event(
        kind: kind, time: time, uuid: uuid, service: service, handle: handle, bytes: bytes,
        descriptor: descriptor, offset: offset))
    return true
  }
}
