// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Records were lost for one output, because it took them too slowly and its buffer was full.
package struct DroppedRecord: Record, Hashable {
  /// When the first of them would have been written.
  package let time: Timestamp
  /// How many.
  package var count: Int

  package func write(to json: inout JSONWriter) {
    json.field("event", "dropped")
    json.field("time", time.utc)
    json.field("count", count)
  }
}
