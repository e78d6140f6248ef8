// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// A field of a CSV table.
enum CSVField {
  /// A text as a field: quoted where it has to be, on one line, and never taken for a formula.
  ///
  /// Spreadsheets calculate what begins with `=`, `+`, `-` or `@`, and a text from the air could make them do anything:
  /// an apostrophe before it keeps it a text.
  static func text(_ text: String) -> String {
    var field = ""
    if let first = text.unicodeScalars.first, formulaStarts.contains(first) { field += "'" }
    var needsQuotes = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"":
        field += "\"\""
        needsQuotes = true
      case ",":
        field += ","
        needsQuotes = true
      case "\n": field += "\\n"
      case "\r": field += "\\r"
      case "\t": field += "\\t"
      case _ where scalar.properties.generalCategory == .control:
        field += "\\u" + UInt16(truncatingIfNeeded: scalar.value).fourDigits
      default: field.unicodeScalars.append(scalar)
      }
    }
    return needsQuotes ? "\"\(field)\"" : field
  }

  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
}
