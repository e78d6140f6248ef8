// SPDX-License-Identifier: MIT
package import BLEFormats
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
  /// True if the log restarts after its end, an interval (or a second) later.
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

  /// Returns the values of a characteristic in a log, without other records; throws if a line is not a record.
  static func samples(
    in log: [UInt8], of characteristic: BluetoothUUID
  ) throws(JSONError) -> [Sample] {
    var samples: [Sample] = []
    try LogRecord.each(in: log) { record throws(JSONError) in
      guard record.node["event"]?.string == "value",
        record.node["characteristic"]?.string.flatMap({ BluetoothUUID($0) }) == characteristic,
        record.node["descriptor"] == nil, record.node["offset"] == nil
      else { return }
      guard let time = record.time,
        let value = record.node["value"]?.string.flatMap({ ValueSyntax.bytes($0) }),
        value.count <= 512
      else { throw record.mismatch("\"time\" and \"value\"") }
      samples.append(Sample(time: time, value: value))
    }
    return samples.sinceFirst
  }
}

extension [Recording.Sample] {
  /// The same values, with their times counted from the first one.
  var sinceFirst: [Recording.Sample] {
    guard let first = first?.time else { return [] }
    return map { Recording.Sample(time: $0.time - first, value: $0.value) }
  }
}
