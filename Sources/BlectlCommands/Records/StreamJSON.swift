// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// Writes the events of a stream as lines of JSON: the records of `--json` and of `.ndjson` logs.
struct StreamJSON {
  private var values: ValueLines
  private var json = JSONWriter()

  /// - Parameter format: how values are to be shown as well, in `formatted`.
  init(format: ValueFormat? = nil) { values = ValueLines(format: format) }

  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    switch event {
    case .values(let batch): values.append(batch, to: &bytes)
    case .link(let record): append(record, to: &bytes)
    case .dropped(let record): append(record, to: &bytes)
    }
  }

  private mutating func append(_ record: some Record, to bytes: inout [UInt8]) {
    json.removeAll()
    json.object { record.write(to: &$0) }
    json.endRecord()
    bytes += json.bytes
  }
}
