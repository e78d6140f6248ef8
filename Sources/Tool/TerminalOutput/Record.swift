// SPDX-License-Identifier: MIT
package import JSON

/// A report of a command: a JSON object, or a line of text fields.
package protocol Record {
  /// Writes the fields of the JSON object, in a fixed order.
  func write(to json: inout JSONWriter)
}

extension JSONWriter {
  /// Writes a record as a line.
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

/// A record for a pipe: one line, tabs between the fields, nothing truncated or padded.
package enum TabSeparated {
  /// The line without a newline; a tab or a newline within a field is escaped.
  package static func line(_ fields: [String]) -> String {
    // `joined` makes the runtime look for a witness: a tenth of the time of a command that prints one line.
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
