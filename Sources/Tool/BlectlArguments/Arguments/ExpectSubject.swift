// SPDX-License-Identifier: MIT

/// The subject of `expect`: a characteristic, or one of its fields, as in
/// `heart-rate-measurement.heart_rate_bpm`.
package struct ExpectSubject: Sendable, Hashable {
  package let characteristic: CharacteristicArgument
  /// The first word of the pattern, if it was written behind the characteristic.
  package let field: String?

  package init(parsing text: String) throws(ArgumentError) {
    if let dot = text.firstIndex(of: "."), dot > text.startIndex, text.index(after: dot) < text.endIndex {
      characteristic = try CharacteristicArgument(parsing: String(text[..<dot]))
      field = String(text[text.index(after: dot)...])
    } else {
      characteristic = try CharacteristicArgument(parsing: text)
      field = nil
    }
  }
}
