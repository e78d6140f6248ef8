// SPDX-License-Identifier: MIT

/// A log that was asked for: its path, and what kind of file the ending makes it.
struct LogArgument: Sendable, Hashable {
  enum Kind: Sendable, Hashable, CaseIterable {
    /// The records of `--json`, a line each.
    case ndjson
    /// A table for spreadsheets.
    case csv
    /// A database.
    case sqlite

    /// The endings of such files.
    var endings: [String] {
      switch self {
      case .ndjson: ["ndjson", "jsonl"]
      case .csv: ["csv"]
      case .sqlite: ["sqlite", "sqlite3", "db"]
      }
    }
  }

  let path: String
  let kind: Kind

  /// - Parameter text: a path that ends in `.ndjson`, `.jsonl`, `.csv`, `.sqlite` or `.db`.
  /// - Throws: for any other.
  init(parsing text: String) throws(ArgumentError) {
    let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
    guard let kind = Kind.allCases.first(where: { $0.endings.contains(ending) }) else {
      throw ArgumentError(text, "does not end in .ndjson, .jsonl, .csv, .sqlite or .db")
    }
    (path, self.kind) = (text, kind)
  }
}
