// SPDX-License-Identifier: MIT
package import BLEMeaning
internal import JSON

/// Recorded notifications to replay, from a log of `blectl subscribe` (NDJSON).
package struct Recording: Sendable, Equatable {
  package struct Sample: Sendable, Equatable {
    /// The time since the first one.
    package var time: Duration
    package var value: [UInt8]
  }

  /// The log, relative to the world file.
  package var path: String
  /// The characteristic in the log; nil for the one that replays it.
  package var characteristic: BluetoothUUID?
  /// The time between two notifications; nil for the times in the log.
  package var interval: Duration?
  /// Whether the log restarts after its end, an interval (or a second) later.
  package var repeats = false
  package var samples: [Sample] = []

  /// Returns the delay before a notification, counted from the previous one; nil after the last.
  package func delay(before index: Int) -> Duration? {
    guard !samples.isEmpty, repeats || index < samples.count else { return nil }
    let position = index % samples.count
    if let interval { return interval }
    guard position > 0 else { return index == 0 ? .milliseconds(1) : .seconds(1) }
    return max(.zero, samples[position].time - samples[position - 1].time)
  }

  /// Returns the values of a characteristic in a log, without other records; throws if a line is no record.
  static func samples(
    in log: [UInt8], of characteristic: BluetoothUUID
  ) throws(JSONError) -> [Sample] {
    var samples: [Sample] = []
    var first: Int64?
    for (index, line) in log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      let record: JSONNode
      do throws(JSONError) {
        record = try JSONReader.read(line)
      } catch {
        throw JSONError(JSONPlace(line: index + 1, column: error.place.column), error.pointer, error.message)
      }
      guard record["event"]?.string == "value",
        record["characteristic"]?.string.flatMap({ BluetoothUUID($0) }) == characteristic,
        record["descriptor"] == nil
      else { continue }
      guard let time = record["time"]?.string.flatMap({ CivilTime.microseconds(parsing: $0) }),
        let value = record["value"]?.string.flatMap({ ValueSyntax.bytes($0) }), value.count <= 512
      else {
        throw JSONError(
          JSONPlace(line: index + 1, column: 1), .root, "expected a record with \"time\" and \"value\"")
      }
      let start = first ?? time
      first = start
      samples.append(Sample(time: .microseconds(time - start), value: value))
    }
    return samples
  }
}
