// SPDX-License-Identifier: MIT
internal import JSON

/// Notifications of the past, as records of `blectl subscribe` (NDJSON), to be sent again.
package struct Recording: Sendable, Hashable {
  /// A notification.
  package struct Sample: Sendable, Hashable {
    /// How long after the first one.
    package var time: Duration
    package var value: [UInt8]

    package init(time: Duration, value: [UInt8]) {
      self.time = time
      self.value = value
    }
  }

  /// The log, relative to the world file.
  package var path: String
  /// Whose values of the log to take; nil for those of the characteristic that replays them.
  package var characteristic: AttributeUUID?
  /// The time between two notifications; nil for that of the log.
  package var interval: Duration?
  /// Whether the log begins anew after its end, an interval (or a second) later.
  package var repeats: Bool
  /// What the log holds.
  package var samples: [Sample]

  package init(
    path: String, characteristic: AttributeUUID? = nil, interval: Duration? = nil, repeats: Bool = false,
    samples: [Sample] = []
  ) {
    self.path = path
    self.characteristic = characteristic
    self.interval = interval
    self.repeats = repeats
    self.samples = samples
  }

  /// How long after the subscription, or after the one before, a notification is sent; nil after the last.
  func delay(before index: Int) -> Duration? {
    guard !samples.isEmpty, repeats || index < samples.count else { return nil }
    let position = index % samples.count
    if let interval { return interval }
    guard position > 0 else { return index == 0 ? .milliseconds(1) : .seconds(1) }
    return max(.zero, samples[position].time - samples[position - 1].time)
  }

  /// The values of a characteristic in the lines of a log; records of other kinds and of others are passed over.
  ///
  /// - Throws: where a line is no record.
  static func samples(
    in log: [UInt8], of characteristic: AttributeUUID
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
        record["characteristic"]?.string.flatMap({ AttributeUUID(parsing: $0) }) == characteristic,
        record["descriptor"] == nil
      else { continue }
      guard let time = record["time"]?.string.flatMap({ CivilTime.microseconds(parsing: $0) }),
        let value = record["value"]?.string.flatMap({ ValueText.bytes($0) }), value.count <= 512
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
