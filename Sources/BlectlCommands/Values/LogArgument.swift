// SPDX-License-Identifier: MIT
internal import ValueLogs

/// A log that was asked for: where it is, and what it is written in.
struct LogArgument: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// The records of `--json`, a line each.
    case ndjson
    /// A table for spreadsheets.
    case csv
    /// A database.
    case sqlite
    /// The line protocol of InfluxDB.
    case influx
    /// The records of `--json`, a message each.
    case broker(BrokerAddress)

    /// Whether every record fits, not only those of values and links.
    var takesAllRecords: Bool {
      switch self {
      case .ndjson, .broker: true
      case .csv, .sqlite, .influx: false
      }
    }
  }

  /// The endings of files, and what they are written in.
  private static let endings: [(String, Kind)] = [
    ("ndjson", .ndjson), ("jsonl", .ndjson), ("csv", .csv), ("sqlite", .sqlite), ("sqlite3", .sqlite),
    ("db", .sqlite),
  ]
  private static let influxPrefix = "influx:"

  /// The path of a file, or the URL of a broker.
  let path: String
  let kind: Kind

  /// - Parameter text: a path that ends in `.ndjson`, `.jsonl`, `.csv`, `.sqlite` or `.db`; `influx:FILE`; or the URL of
  ///   a broker.
  /// - Throws: for any other.
  init(parsing text: String) throws(ArgumentError) {
    if let broker = try BrokerAddress(parsing: text) {
      (path, kind) = (text, .broker(broker))
      return
    }
    if text.hasPrefix(LogArgument.influxPrefix), text.utf8.count > LogArgument.influxPrefix.utf8.count {
      (path, kind) = (String(text.dropFirst(LogArgument.influxPrefix.count)), .influx)
      return
    }
    let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
    guard let kind = LogArgument.endings.first(where: { $0.0 == ending })?.1 else {
      throw ArgumentError(
        text,
        "does not end in .ndjson, .jsonl, .csv, .sqlite or .db, and is no influx:FILE or mqtt://HOST/TOPIC")
    }
    (path, self.kind) = (text, kind)
  }

  /// Whether it is what the command prints.
  var isOutput: Bool { kind == .influx && path == "-" }

  /// Whether it is a file.
  var isFile: Bool { if case .broker = kind { false } else { !isOutput } }
}
