// SPDX-License-Identifier: MIT
package import BLEFormats

/// The presentation of values, given by `--as`: a format, or a layout with fields.
package struct ValueView: Sendable {
  /// The format of text; that of a layout is `auto`, the meaning.
  package let format: ValueFormat
  /// The meaning of all values that are shown; nil for a format.
  private let layout: ValueLayout?

  /// True if values consist of the fields of a layout.
  package var isLayout: Bool { layout != nil }

  package init(_ format: ValueFormat) { (self.format, layout) = (format, nil) }

  package init(_ layout: ValueLayout) { (format, self.layout) = (.auto, layout) }

  /// A value for a variable of a script: that of a single field, or else `KEY=VALUE …`.
  ///
  /// - Returns: nil if the bytes do not have the format.
  package func text(of bytes: [UInt8]) -> String? {
    guard let layout else { return format.decode(bytes) }
    let fields = layout.decode(bytes).fields
    if fields.count == 1 { return fields[0].value.text }
    return fields.map { "\($0.key)=\($0.value.text)" }.joined(separator: " ")
  }

  /// The meaning of values of which another one is known, or none.
  ///
  /// A layout replaces what is known. Numbers and texts in a format are a meaning where none is known, so that logs have them too.
  package func meaning(insteadOf known: ValueMeaning?) -> ValueMeaning? {
    layout.map { ValueMeaning($0) } ?? known ?? PlainValue(format).map { ValueMeaning($0) }
  }
}

/// A value that consists of numbers in one format, or of text.
struct PlainValue: Sendable {
  static let key = "value"

  private let format: ValueFormat

  /// Returns nil for formats in which any bytes can be shown: they have no meaning.
  init?(_ format: ValueFormat) {
    switch format {
    case .auto, .hex, .base64, .raw: return nil
    case .utf8, .integer, .real, .medical: self.format = format
    }
  }

  /// Nil if the format does not apply to the bytes.
  func decode(_ bytes: [UInt8]) -> DecodedFields? {
    guard let text = format.decode(bytes), !text.isEmpty || format == .utf8 else { return nil }
    var fields = DecodedFields()
    guard format != .utf8 else {
      fields.add(Self.key, .text(text))
      return fields
    }
    let numbers = text.split(separator: " ").map { word -> DecodedValue in
      // A decimal number would lose digits of long integers.
      if word.utf8.count > 18, !word.contains(".") {
        return Int(word).map { .integer($0) } ?? .text(String(word))
      }
      return Int(word).map { .integer($0) } ?? DecimalNumber(word).map { .decimal($0) } ?? .text(String(word))
    }
    fields.add(Self.key, numbers.count == 1 ? numbers[0] : .list(numbers))
    return fields
  }
}
