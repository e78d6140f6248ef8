// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import JSON
internal import TerminalOutput

/// A summary of the values of a window: means, minima and maxima of their numbers.
package struct AverageRecord: Record, Sendable {
  /// The origin of the values.
  package let origin: ValueOrigin
  /// The beginning of the window, a multiple of its length since 1970.
  package let from: Timestamp
  /// Its end; if it ended early, the time of its last value.
  package let time: Timestamp
  /// The number of values.
  package let count: Int
  /// The means by the keys of their fields, and minima and maxima by keys of their own.
  package let decoded: DecodedFields
  /// The number of values with a field, for fields that not all of them had.
  package let counts: [(key: String, count: Int)]

  package init(
    of origin: ValueOrigin, from: Timestamp, time: Timestamp, count: Int, decoded: DecodedFields,
    counts: [(key: String, count: Int)] = []
  ) {
    (self.origin, self.from, self.time, self.count) = (origin, from, time, count)
    (self.decoded, self.counts) = (decoded, counts)
  }

  package func write(to json: inout JSONWriter) {
    json.event("average", at: time)
    json.field("from", from.utc)
    origin.write(to: &json)
    json.field("count", count)
    if !counts.isEmpty {
      json.object("counts") { json in for (key, count) in counts { json.field(key, count) } }
    }
    json.field("decoded", decoded)
    json.field("via", origin.transport.rawValue)
  }

  /// The keys that averages can have, of values with these keys.
  package static func keys(of keys: [String]) -> [String] {
    // Neither lists nor problems have an average.
    keys.flatMap { key in
      ListElement(column: key) != nil || key == DecodedFields.problemKey
        ? [] : [key] + Extreme.allCases.map { $0.key(of: key, among: keys) }
    }
  }

  /// The least and the greatest of the numbers.
  package enum Extreme: String, CaseIterable, Sendable {
    case minimum, maximum

    /// The key of it, with a number behind it if the values have that key themselves.
    package func key(of key: String, among keys: [String]) -> String {
      let plain = "\(rawValue)_\(key)"
      var (unused, number) = (plain, 1)
      while keys.contains(unused) {
        number += 1
        unused = "\(plain)_\(number)"
      }
      return unused
    }
  }
}
