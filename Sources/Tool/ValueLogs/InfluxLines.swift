// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
package import ValueStreams

/// A log in the line protocol of InfluxDB: one point per line, with the time in nanoseconds.
///
/// Values are points of the measurement `bluetooth`, and link events of `bluetooth_link`. All numbers are
/// floats, since InfluxDB refuses a field that is only sometimes an integer.
package struct InfluxLines: TextLogFormat {
  package let header: [UInt8] = []
  package let signature = Array("bluetooth".utf8)

  /// The times of the last points, and the number of points with each.
  private var latest: [String: (time: Int, count: Int)] = [:]

  private var types = FieldTypes()

  package init() {}

  package func fit(firstLine: [UInt8]) -> LogFit { firstLine.starts(with: signature) ? .same : .foreign }

  package mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    switch event {
    case .values(let batch):
      let (origin, decoded) = (batch.origin, batch.decoded)
      let head = InfluxLines.head(of: origin)
      for index in batch.values.indices {
        let value = batch.values[index]
        var fields = fields(value.value, decoded[index], origin)
        // Of data in an unknown format, only the strength is decoded.
        if let advertisement = origin.advertisement, advertisement.type == nil {
          fields.append(("value", InfluxLines.quoted(Hex.string(value.value))))
        }
        append(head, fields, value.time, to: &bytes)
      }
    case .link(let link):
      var fields = [("event", InfluxLines.quoted(link.event.rawValue))]
      if let reason = link.reason { fields.append(("reason", InfluxLines.quoted(reason))) }
      if let gap = link.gapSeconds { fields.append(("gap_seconds", "\(gap)")) }
      append(InfluxLines.head("bluetooth_link", link.address), fields, link.time, to: &bytes)
    case .average(let average):
      let names = average.origin.isAdvertised ? InfluxLines.advertisedNames : InfluxLines.names
      let fields =
        fields(of: average.decoded, names.besides("count")) + [("count", "\(average.count)")]
      append(InfluxLines.head(of: average.origin, via: "average"), fields, average.time, to: &bytes)
    case .alarm(let alarm):
      let fields = [
        ("event", InfluxLines.quoted(alarm.event.rawValue)), ("reason", InfluxLines.quoted(alarm.condition)),
      ]
      append(InfluxLines.head("bluetooth_link", alarm.address, alarm.name), fields, alarm.time, to: &bytes)
    case .absence(let absence):
      let fields = [
        ("event", InfluxLines.quoted(absence.event.rawValue)), ("gap_seconds", "\(absence.silence)"),
      ]
      let head = InfluxLines.head("bluetooth_link", absence.address, absence.name)
      append(head, fields, absence.time, to: &bytes)
    case .reception(let reception):
      var fields = [("event", InfluxLines.quoted(reception.event.rawValue))]
      if let reason = reception.reason { fields.append(("reason", InfluxLines.quoted(reason))) }
      if let gap = reception.gapSeconds { fields.append(("gap_seconds", "\(gap)")) }
      append("bluetooth_link", fields, reception.time, to: &bytes)
    case .dropped(let dropped):
      let fields = [("event", InfluxLines.quoted("dropped")), ("count", "\(dropped.count)")]
      append("bluetooth_link", fields, dropped.time, to: &bytes)
    case .written(let written):
      let head = InfluxLines.head(
        "bluetooth", written.address, nil, written.descriptor ?? written.characteristic.uuid, via: "write")
      let fields = fields(written.value ?? [], nil)
      append(head, fields, written.time, to: &bytes)
    case .served(let served): append(served, to: &bytes)
    case .record, .line: break  // commands with such events do not offer this log
    }
  }

  private mutating func append(_ served: ServedRecord, to bytes: inout [UInt8]) {
    guard let address = served.address else { return }
    if let transport = served.transport, let value = served.value, let attribute = served.attribute {
      let head = InfluxLines.head(
        "bluetooth", address, served.name, attribute.uuid, handle: attribute.hasTwin ? attribute.handle : nil,
        via: transport)
      append(head, fields(value, served.decoded), served.time, to: &bytes)
    } else {
      let head = InfluxLines.head("bluetooth_link", address, served.name, served.attribute?.uuid)
      let fields = [("event", InfluxLines.quoted(served.event.rawValue))]
      append(head, fields, served.time, to: &bytes)
    }
  }

  // MARK: The parts of a line

  private static func head(of origin: ValueOrigin, via: String? = nil) -> String {
    let attribute = origin.attribute
    return head(
      "bluetooth", origin.address, origin.name, attribute?.uuid,
      handle: attribute?.hasTwin == true ? attribute?.characteristic.handle : nil,
      type: attribute == nil ? origin.word : nil, via: via)
  }

  /// The measurement and its tags, in alphabetical order, in which InfluxDB sorts them.
  private static func head(
    _ measurement: String, _ address: BluetoothAddress?, _ name: String? = nil, _ uuid: BluetoothUUID? = nil,
    handle: UInt16? = nil, type: String? = nil, via: String? = nil
  ) -> String {
    var head = measurement
    if let address { head += ",address=\(address)" }
    if let uuid { head += ",characteristic=\(uuid)" }
    // Only for characteristics that share their UUID, so that other series remain as they are.
    if let handle { head += ",handle=\(handle)" }
    // A tag without a value is refused.
    if let name, case let tag = tag(name), !tag.isEmpty { head += ",name=\(tag)" }
    if let type { head += ",type=\(tag(type))" }
    if let via { head += ",via=\(via)" }
    return head
  }

  /// The decoded fields, or the digits of the bytes.
  private mutating func fields(
    _ value: [UInt8], _ decoded: DecodedFields?, _ origin: ValueOrigin? = nil
  ) -> [(String, String)] {
    let names = origin?.isAdvertised == true ? InfluxLines.advertisedNames : InfluxLines.names
    var known = decoded.map { fields(of: $0, names) } ?? []
    if let decoded, decoded.hasWrongChecksum {
      known.append((DecodedFields.problemKey, InfluxLines.quoted(decoded.problems.joined(separator: "; "))))
    }
    return known.isEmpty ? [("value", InfluxLines.quoted(Hex.string(value)))] : known
  }

  /// The names of a point that are not decoded: its tags, its digits, and its time, which InfluxDB refuses as a field.
  private static let names = DecodedNames(
    taken: ["time", "value", "address", "characteristic", "handle", "name", "via"])
  /// The same for advertised values, which have another tag; those of characteristics keep the names that they had.
  private static let advertisedNames = DecodedNames(taken: ["time", "value", "address", "name", "type"])

  /// InfluxDB refuses a field whose type is another one than in earlier points, and perhaps all that is written with it.
  private mutating func fields(of decoded: DecodedFields, _ names: DecodedNames) -> [(String, String)] {
    types.typed(decoded).flatMap { field in InfluxLines.fields(names.name(of: field.key), field.value) }
  }

  /// A value as a field, or as several.
  private static func fields(_ name: String, _ value: DecodedValue) -> [(String, String)] {
    switch value {
    case .integer(let number): return [(name, "\(number)")]
    case .decimal(let number): return [(name, number.description)]
    case .bool(let isTrue): return [(name, isTrue ? "true" : "false")]
    case .bytes(let bytes): return [(name, quoted(Hex.string(bytes)))]
    case .text(let text): return [(name, quoted(text))]
    case .fields(let inner): return inner.fields.flatMap { fields("\(name).\($0.key)", $0.value) }
    case .list:
      var json = JSONWriter()
      json.value(value)
      return [(name, quoted(String(decoding: json.bytes, as: UTF8.self)))]
    }
  }

  private mutating func append(
    _ head: String, _ fields: [(String, String)], _ time: Timestamp, to bytes: inout [UInt8]
  ) {
    bytes += head.utf8
    bytes.append(UInt8(ascii: " "))
    bytes += fields.map { "\($0)=\($1)" }.joined(separator: ",").utf8
    bytes += " \(distinct(time.seconds * 1_000_000_000 + time.nanoseconds, head))\n".utf8
  }

  /// A time in nanoseconds that no other point of the measurement and its tags has.
  ///
  /// InfluxDB keeps one point per time, but all packets of one read from a socket have the same.
  private mutating func distinct(_ time: Int, _ head: String) -> Int {
    let earlier = latest[head].flatMap { $0.time == time ? $0.count : nil } ?? 0
    // Centrals change their addresses: limits the memory.
    if latest.count >= 1024, latest[head] == nil { latest = [:] }
    latest[head] = (time, earlier + 1)
    return time + earlier
  }

  // InfluxDB reads bytes: scalars are escaped, since a comma and a combining mark form one Character.

  /// Quotes a text; line ends become spaces.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { quoted += "\\" }
      quoted.unicodeScalars.append(plain(scalar))
    }
    return quoted + "\""
  }

  /// A text as a tag; a backslash at its end would escape the next character.
  private static func tag(_ text: String) -> String {
    var tag = ""
    for scalar in text.unicodeScalars.map(plain) {
      if scalar == "," || scalar == " " || scalar == "=" { tag += "\\" }
      tag.unicodeScalars.append(scalar == "\\" ? "/" : scalar)
    }
    return tag
  }

  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.generalCategory == .control ? " " : scalar
  }
}
