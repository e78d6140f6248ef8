// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Writes events as lines of JSON: the records of `--json`, and of `.ndjson` logs.
///
/// Parts that many values have in common are written once, and copied.
package struct EventJSON {
  /// The format of the additional field `formatted`.
  private let format: ValueFormat?
  private var json = JSONWriter()
  /// The fields up to the time, which is the same for values that were read together.
  private var begin: (time: Timestamp, fields: JSONFields)?
  /// The fields of all values of an attribute, before and after the value.
  private var common: (origin: ValueOrigin, before: JSONFields, behind: JSONFields)?

  package init(format: ValueFormat? = nil) { self.format = format }

  package mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    json.removeAll()
    switch event {
    case .values(let batch): write(batch)
    case .average(let record): json.record(record)
    case .link(let record): json.record(record)
    case .alarm(let record): json.record(record)
    case .absence(let record): json.record(record)
    case .reception(let record): json.record(record)
    case .dropped(let record): json.record(record)
    case .written(let record): json.record(record)
    case .served(let record): json.record(record)
    case .record(let record): bytes += record.line
    case .line: break  // only for the output
    }
    bytes += json.bytes
  }

  private mutating func write(_ batch: ValueBatch) {
    let decoded = batch.decoded
    let (before, behind) = fields(of: batch.origin)
    for index in batch.values.indices {
      let value = batch.values[index]
      let begin = fields(of: value.time)
      json.object { json in
        json.fields(begin)
        json.fields(before)
        json.fields(value: value.value, decoded: decoded[index])
        if let format {
          let text = format == .auto ? decoded[index]?.text : nil
          json.field("formatted", text ?? format.decode(value.value))
        }
        json.fields(behind)
      }
      json.endRecord()
    }
  }

  private mutating func fields(of time: Timestamp) -> JSONFields {
    if let begin, begin.time == time { return begin.fields }
    let fields = JSONFields { $0.event("value", at: time) }
    begin = (time, fields)
    return fields
  }

  private mutating func fields(of origin: ValueOrigin) -> (before: JSONFields, behind: JSONFields) {
    if let common, common.origin === origin { return (common.before, common.behind) }
    let before = JSONFields { origin.write(to: &$0) }
    let behind = JSONFields { $0.field("via", origin.transport.rawValue) }
    common = (origin, before, behind)
    return (before, behind)
  }
}

extension BluetoothUUID: JSONValue {
  /// The 128-bit form: scripts compare texts.
  package func write(to json: inout JSONWriter) { json.text(longForm) }
}

extension BluetoothAddress: JSONValue {
  /// Upper case, with colons.
  package func write(to json: inout JSONWriter) { json.text(description) }
}

extension JSONWriter {
  /// Writes the first fields of a record: what has happened, and when.
  package mutating func event(_ name: String, at time: Timestamp) {
    field("event", name)
    field("time", time.utc)
  }
}
