// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// What a `--record` file says was sent to some devices, and what came from them.
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
  }

  /// The longest record, in bytes.
  static let longest = 256 << 20

  /// The events of each device in the order of their times, and its name.
  private(set) var devices: [BluetoothAddress: (name: String?, events: [Event])] = [:]

  /// Reads a record.
  ///
  /// - Throws: ``CommandError`` with status usage and the line that is wrong.
  init(path: String) throws {
    let name = TerminalSafe.escaped(path)
    let bytes = try ValueSource.text(of: path, most: Self.longest)
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
    device.events.append(
      Event(
        kind: kind, time: time, uuid: uuid, service: service, handle: handle, bytes: bytes,
        descriptor: descriptor))
    return true
  }
}

/// Checks a script against the record of devices, without Bluetooth.
struct RecordVerifier {
  private let records: DeviceRecords
  private let plan: ScriptPlan
  private let context: CommandContext

  init(_ records: DeviceRecords, _ plan: ScriptPlan, _ context: CommandContext) {
    self.records = records
    self.plan = plan
    self.context = context
  }

  /// Checks the script against the record of each device that matches.
  ///
  /// - Throws: ``CommandError`` if the record has no such device.
  func run(_ wanted: DeviceArgument) async throws -> RunOutcome {
    var outcomes: [(BluetoothAddress, RunOutcome)] = []
    for (address, device) in records.devices.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let candidate = RecordedCandidate(address: address, name: device.name)
      guard wanted.rank(of: candidate) != nil else { continue }
      let recorded = RecordedDevice(device.events)
      let outcome = try await plan.repeated(on: recorded, "\(address)", context.options, context.console)
      outcomes.append((address, outcome))
    }
    if outcomes.isEmpty {
      let known = records.devices.keys.map { "\($0)" }.sorted()
      throw CommandError(
        status: .notFound, message: "cannot find \(wanted) in the record", details: known)
    }
    return outcomes.count == 1
      ? outcomes[0].1 : ScriptRunner.summary(outcomes.map { (address: $0.0, outcome: $0.1) })
  }
}

private struct RecordedCandidate: DeviceCandidate {
  let address: BluetoothAddress
  let name: String?
  var rssi: Int? { nil }
}
