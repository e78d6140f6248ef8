// SPDX-License-Identifier: MIT

/// Text within XML.
package enum XMLText {
  /// A text that is safe between tags and within quotes, whatever it was: what XML cannot hold is written out.
  package static func escaped(_ text: String) -> String {
    var safe = ""
    for scalar in TerminalSafe.escaped(text).unicodeScalars {
      switch scalar {
      case "&": safe += "&amp;"
      case "<": safe += "&lt;"
      case ">": safe += "&gt;"
      case "\"": safe += "&quot;"
      case "'": safe += "&#39;"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
