// SPDX-License-Identifier: MIT
package import JSON

/// Something that a command reports: a JSON object, or a line of text fields.
package protocol Record {
  /// The fields of the JSON object, in a fixed order.
  func write(to json: inout JSONWriter)
}

extension JSONWriter {
  /// A record as a line.
  package mutating func record(_ record: some Record) {
    object { record.write(to: &$0) }
    endRecord()
  }
}

extension Console {
  /// Writes a record as a line of JSON.
  package func write(_ record: some Record) throws(ConsoleError) {
    var json = JSONWriter()
    json.record(record)
    try write(bytes: json.bytes)
  }
}
