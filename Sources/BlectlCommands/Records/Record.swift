// SPDX-License-Identifier: MIT
internal import JSON

/// Something that a command reports: a JSON object, or a line of text fields.
protocol Record {
  /// The fields of the JSON object, in a fixed order.
  func write(to json: inout JSONWriter)
}

extension JSONWriter {
  /// A record as a line.
  mutating func record(_ record: some Record) {
    object { record.write(to: &$0) }
    endRecord()
  }
}

extension Console {
  /// Writes a record as a line of JSON.
  func write(_ record: some Record) throws(ConsoleError) {
    var json = JSONWriter()
    json.record(record)
    try write(bytes: json.bytes)
  }
}
