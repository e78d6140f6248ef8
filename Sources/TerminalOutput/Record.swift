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

/// A record for a pipe: one line, a tab between the fields, nothing truncated, nothing padded.
package enum TabSeparated {
  /// The record of some fields, without a newline; a tab or a newline within a field is written out.
  package static func line(_ fields: [String]) -> String {
    // `joined` makes the runtime look for a type's witness, which costs a command that prints one line a tenth of all.
    var line = ""
    var isFirst = true
    for field in fields {
      if !isFirst { line += "\t" }
      isFirst = false
      line += TerminalSafe.escaped(field)
    }
    return line
  }
}
