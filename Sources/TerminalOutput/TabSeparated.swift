// SPDX-License-Identifier: MIT

/// A record for a pipe: one line, a tab between the fields, nothing truncated, nothing padded.
package enum TabSeparated {
  /// The record of some fields, without a newline; a tab or a newline within a field is written out.
  package static func line(_ fields: [String]) -> String {
    // `joined` makes the runtime look for a type's witness, which costs a command that prints one line a tenth of all.
    var line = ""
    var isFirst = true
    for field in fields {
      if !isFirst { line += "\t" }
      isFirst = false
      line += TerminalSafe.escaped(field)
    }
    return line
  }
}
