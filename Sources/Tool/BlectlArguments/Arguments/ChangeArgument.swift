// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The minimum change of a number that is of interest: `0.2`, or for one field `temperature_celsius=0.2`.
package struct ChangeArgument: Sendable, Hashable {
  /// Nil for all fields that have no change of their own.
  package let field: String?
  package let change: Double

  package init(parsing text: String) throws(ArgumentError) {
    let sign = text.firstIndex(of: "=")
    let number = sign.map { text[text.index(after: $0)...] } ?? text[...]
    field = sign.map { String(text[..<$0]) }
    guard field != "", let change = DecimalNumber(number).flatMap({ Double("\($0)") }), change >= 0,
      change.isFinite
    else {
      throw ArgumentError(text, "is not a change; use 0.2, or temperature_celsius=0.2 for one field")
    }
    self.change = change
  }
}
