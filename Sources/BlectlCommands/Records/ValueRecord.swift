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
  let characteristic: GATTCharacteristic
  var descriptor: GATTDescriptor?
  let value: [UInt8]
  /// What its bytes mean, where that is known.
  let meaning: ValueMeaning?
  let way: Way

  func write(to json: inout JSONWriter) {
    json.field("event", "value")
    json.field("time", time.utc)
    json.field("address", address)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
    json.field("value", hex: value)
    json.field("decoded", meaning?.decode(value))
    json.field("via", way.rawValue)
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
    guard isJSON else { return try console.write(lines: records.map { line($0) }) }
    var json = JSONWriter()
    for record in records {
      json.object { record.write(to: &$0) }
      json.endRecord()
    }
    try console.write(bytes: json.bytes)
  }

  private func line(_ record: ValueRecord) -> String {
    let isTerminal = console.output.isTerminal
    var fields: [String] = []
    if showsTime { fields.append(isTerminal ? record.time.local : record.time.utc) }
    if showsAddress { fields.append("\(record.address)") }
    if showsCharacteristic {
      fields.append((record.descriptor?.uuid ?? record.characteristic.uuid).description)
    }
    let text = ValueText.text(record.value, as: format, meaning: record.meaning, isTerminal: isTerminal)
    let isBare = (format == nil || format == .auto) && record.meaning == nil
    fields.append(isTerminal && isBare && showsTime ? "<\(text)>" : text)
    return fields.joined(separator: isTerminal ? " " : "\t")
  }
}
