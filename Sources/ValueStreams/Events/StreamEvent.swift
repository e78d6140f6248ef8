// SPDX-License-Identifier: MIT

/// What a stream brings: values, in batches as they were read from the bus, what happened to the links, what was written,
/// what happened to a peripheral of ours, and other records.
package enum StreamEvent: Sendable {
  case values(ValueBatch)
  case link(LinkRecord)
  case dropped(DroppedRecord)
  case written(WrittenRecord)
  case served(ServedRecord)
  case record(LoggedRecord)

  /// How much memory it takes while it waits, in bytes, roughly.
  var cost: Int {
    switch self {
    case .values(let batch): batch.cost
    case .link, .dropped: 256
    case .written(let record): 256 + record.bytes
    case .served(let record): 256 + (record.value?.count ?? 0)
    case .record(let record): 256 + record.line.count
    }
  }

  /// How many records are lost with it; the record of earlier losses is none, because those are counted already.
  var count: Int {
    switch self {
    case .values(let batch): batch.values.count
    case .link, .written, .served, .record: 1
    case .dropped: 0
    }
  }
}
