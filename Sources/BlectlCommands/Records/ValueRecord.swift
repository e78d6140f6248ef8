// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A value that was read, or that the device sent.
struct ValueRecord: Record {
  /// The way that a value took.
  enum Way: String {
    case read
    case signal
    case socket
  }

  let time: Timestamp
  let address: BluetoothAddress
  /// What the device calls itself.
  let name: String?
  let characteristic: GATTCharacteristic
  var descriptor: GATTDescriptor?
  let value: [UInt8]
  /// What its bytes mean, where that is known.
  let meaning: ValueMeaning?
  let way: Way
  /// How it is to be shown, where that was asked for.
  var format: ValueFormat?

  func write(to json: inout JSONWriter) {
    json.field("event", "value")
    json.field("time", time.utc)
    json.field("address", address)
    json.field("name", name)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
    json.field("value", hex: value)
    json.field("decoded", meaning?.decode(value))
    json.field("formatted", format.flatMap { formatted(as: $0) })
    json.field("via", way.rawValue)
  }

  /// The value as a format shows it; nil when it is not of that format.
  func formatted(as format: ValueFormat) -> String? {
    if format == .auto, let decoded = meaning?.decode(value) { return decoded.text }
    return format.decode(value)
  }
}

extension CommandError {
  /// The error for a value that is not of the format that was asked for; nil when it is.
  init?(misfit value: [UInt8], of record: ValueRecord, _ format: ValueFormat) {
    guard let problem = format.problem(with: value) else { return nil }
    let attribute = record.descriptor?.uuid ?? record.characteristic.uuid
    self.init(
      status: .failed, message: "cannot show \(attribute) of \(record.address) as \(format.word): \(problem)")
  }
}

/// How values are written to the output: JSON, lines, or the bytes themselves.
struct ValueOutput: Sendable {
  let console: Console
  let isJSON: Bool
  let format: ValueFormat?
  /// Whether a line tells its time: those of subscriptions and of repeated reads do.
  let showsTime: Bool
  /// Whether a line tells its characteristic: it does when there are several.
  let showsCharacteristic: Bool
  /// Whether a line tells its device: it does when there may be several.
  var showsAddress = false

  /// Several at once, in one system call.
  func write(_ records: [ValueRecord]) throws(ConsoleError) {
    if format == .raw, !isJSON { return try console.write(bytes: records.flatMap(\.value)) }
    guard isJSON else {
      var lines: [UInt8] = []
      for record in records { append(record, to: &lines) }
      return try console.write(bytes: lines)
    }
    var json = JSONWriter()
    for record in records {
      json.object { record.write(to: &$0) }
      json.endRecord()
    }
    try console.write(bytes: json.bytes)
  }

  /// Where a value comes from, as far as a line tells it, with what separates it from the value.
  func source(_ address: BluetoothAddress, _ attribute: BluetoothUUID) -> String {
    let separator = console.output.isTerminal ? " " : "\t"
    return (showsAddress ? "\(address)\(separator)" : "")
      + (showsCharacteristic ? "\(attribute)\(separator)" : "")
  }

  /// Adds a line.
  func append(_ record: ValueRecord, to lines: inout [UInt8]) {
    let isTerminal = console.output.isTerminal
    if showsTime {
      if isTerminal {
        lines.append(contentsOf: record.time.local.utf8)
      } else {
        record.time.appendUTC(to: &lines)
      }
      lines.append(UInt8(ascii: isTerminal ? " " : "\t"))
    }
    lines += source(record.address, record.descriptor?.uuid ?? record.characteristic.uuid).utf8
    if format == nil, !isTerminal {
      Hex.append(record.value, to: &lines)
    } else {
      let text = ValueText.text(record.value, as: format, meaning: record.meaning, isTerminal: isTerminal)
      let isBare = (format == nil || format == .auto) && record.meaning == nil
      lines.append(contentsOf: (isTerminal && isBare && showsTime ? "<\(text)>" : text).utf8)
    }
    lines.append(UInt8(ascii: "\n"))
  }
}
