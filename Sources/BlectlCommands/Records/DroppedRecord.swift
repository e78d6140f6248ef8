// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// Records were lost for one output, because it took them too slowly and its buffer was full.
struct DroppedRecord: Record, Hashable {
  /// When the first of them would have been written.
  let time: Timestamp
  /// How many.
  var count: Int

  func write(to json: inout JSONWriter) {
    json.field("event", "dropped")
    json.field("time", time.utc)
    json.field("count", count)
  }
}
