// SPDX-License-Identifier: MIT

/// A record for a pipe: one line, a tab between the fields, nothing truncated, nothing padded.
enum TabSeparated {
  /// The record of some fields, without a newline; a tab or a newline within a field is written out.
  static func line(_ fields: some Sequence<String>) -> String {
    fields.map(TerminalSafe.escaped).joined(separator: "\t")
  }
}
