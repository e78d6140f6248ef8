// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// A record of a log, which has one a line.
struct LogRecord {
  let node: JSONNode
  private let line: Int

  /// Its time, counted from 1970; nil without a valid one.
  var time: Duration? {
    node["time"]?.string.flatMap { UTCTime($0) }.map { .seconds($0.seconds) + .nanoseconds($0.nanoseconds) }
  }

  /// Calls `take` with each record; throws if a line is none.
  static func each(
    in log: [UInt8], _ take: (LogRecord) throws(JSONError) -> Void
  ) throws(JSONError) {
    try JSONLines.each(in: log) { node, line throws(JSONError) in
      try take(LogRecord(node: node, line: line))
    }
  }

  func mismatch(_ keys: String) -> JSONError {
    JSONError(JSONPlace(line: line, column: 1), .root, "expected a record with \(keys)")
  }
}
