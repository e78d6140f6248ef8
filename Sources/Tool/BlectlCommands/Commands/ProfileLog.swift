// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// The values of a log, as profiles decode them.
struct ProfileLog {
  private let profiles: Profiles
  /// The number of values and advertised data items in the log.
  private(set) var count = 0
  /// Those that an entry with a layout describes.
  private(set) var records: [DecodedLogRecord] = []

  /// Reads a log with one JSON record a line; throws at a line that is none.
  init(_ log: [UInt8], by profiles: [Profile]) throws(JSONError) {
    self.profiles = Profiles(profiles)
    try JSONLines.each(in: log) { node, line throws(JSONError) in try take(node, line) }
  }

  /// The number of ``records`` with bytes that do not fit their layout.
  var problemCount: Int { records.count { !$0.decoded.decoded.isComplete } }

  private mutating func take(_ node: JSONNode, _ line: Int) throws(JSONError) {
    let device = ProfileSubject(
      address: node["address"]?.string.flatMap { BluetoothAddress($0) }, name: node["name"]?.string)
    if node["event"]?.string == "value", let value = node["value"] {
      count += 1
      if let record = try decoded(node, of: device, try bytes(value, line)) { add(record, node) }
    }
    let context = AdvertisedContext(localName: node["name"]?.string, data: try advertised(node, line))
    for data in context.data {
      count += 1
      guard let format = profiles.decode(data, in: context, of: device) as? ProfileFormat else { continue }
      switch data {
      case .manufacturer(let company, let bytes):
        add(DecodedRecord(company: company, format: format, value: bytes), node)
      case .service(let service, let bytes):
        add(DecodedRecord(uuid: service, format: format, value: bytes), node)
      }
    }
  }

  private mutating func add(_ record: DecodedRecord, _ node: JSONNode) {
    records.append(
      DecodedLogRecord(time: node["time"]?.string, address: node["address"]?.string, decoded: record))
  }

  /// Decodes the value of a characteristic or a descriptor; nil if no entry describes it, or it is a part of one.
  private func decoded(
    _ node: JSONNode, of device: ProfileSubject, _ bytes: [UInt8]
  ) throws(JSONError) -> DecodedRecord? {
    func uuid(_ key: String) -> BluetoothUUID? { node[key]?.string.flatMap { BluetoothUUID($0) } }
    guard node["offset"] == nil else { return nil }
    let service = uuid("service")
    let entry =
      if let descriptor = uuid("descriptor") {
        profiles.descriptor(for: descriptor, service: service, device: device)
      } else {
        uuid("characteristic").flatMap {
          profiles.characteristic(for: $0, service: service, device: device)
        }
      }
    guard let entry, let layout = entry.layout else { return nil }
    return DecodedRecord(uuid: entry.uuid, name: entry.name, value: bytes, decoded: layout.decode(bytes))
  }

  private func advertised(_ node: JSONNode, _ line: Int) throws(JSONError) -> [AdvertisedData] {
    var data: [AdvertisedData] = []
    for member in node["manufacturer_data"]?.members ?? [] {
      guard let digits = Hex.bytes(member.key), digits.count == 2 else { continue }
      data.append(.manufacturer(UInt16(digits[0]) << 8 | UInt16(digits[1]), try bytes(member.value, line)))
    }
    for member in node["service_data"]?.members ?? [] {
      guard let service = BluetoothUUID(member.key) else { continue }
      data.append(.service(service, try bytes(member.value, line)))
    }
    return data
  }

  private func bytes(_ node: JSONNode, _ line: Int) throws(JSONError) -> [UInt8] {
    guard let bytes = node.string.flatMap({ Hex.bytes($0) }) else {
      let place = JSONPlace(line: line, column: node.place.column)
      throw JSONError(place, node.pointer, "expected hexadecimal digits, found \(node.summary)")
    }
    return bytes
  }
}

/// A decoded value of a log, with its time and its device.
struct DecodedLogRecord: Record {
  let time: String?
  let address: String?
  let decoded: DecodedRecord

  func write(to json: inout JSONWriter) {
    json.field("time", time)
    json.field("address", address)
    decoded.write(to: &json)
  }

  /// `TIME ADDRESS NAME VALUES`, separated by tabs.
  var line: String {
    let words = [time ?? "", address ?? "", decoded.name].map { TerminalSafe.escaped($0) }
    return TabSeparated.line(words + [TerminalValue.text(of: decoded.decoded)])
  }
}
