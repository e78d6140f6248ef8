// SPDX-License-Identifier: MIT

extension DecodedFields {
  /// The values as text for people: `79 bpm, RR 0.977 s, contact yes`, with problems at the end in parentheses.
  ///
  /// Texts from the air are not escaped: escape them for a terminal.
  public var text: String {
    var parts = fields.compactMap(\.text)
    // Only empty lists: no bit is set.
    if parts.isEmpty, !fields.isEmpty { parts = ["none"] }
    if !rest.isEmpty { parts.append("rest \(Hex.string(rest))") }
    let text = parts.joined(separator: ", ")
    if problems.isEmpty { return text }
    return (text.isEmpty ? "" : text + " ") + "(\(problems.joined(separator: "; ")))"
  }
}

extension DecodedFields.Field {
  /// The value with its label and its unit, or nil if there is nothing to show, as for an empty list.
  var text: String? {
    if isHidden { return nil }
    if case .list(let values) = value, values.isEmpty { return nil }
    let shown =
      shownAs
      ?? (isShownInSeconds ? seconds : value.text + (unit.isEmpty || !value.isNumeric ? "" : " " + unit))
    return label.isEmpty ? shown : "\(label) \(shown)"
  }

  private var seconds: String {
    guard case .list(let values) = value else { return Self.seconds(value) + " s" }
    return values.map { Self.seconds($0) }.joined(separator: " ") + " s"
  }

  private static func seconds(_ value: DecodedValue) -> String {
    guard case .decimal(var number) = value else { return value.text }
    number.exponent -= 3
    return number.dropping(-3 - number.exponent).description
  }
}

extension DecodedValue {
  /// The value as text, without a unit; `yes` and `no` for Booleans.
  public var text: String {
    switch self {
    case .integer(let number): String(number)
    case .decimal(let number): number.description
    case .text(let text): text
    case .bool(let isTrue): isTrue ? "yes" : "no"
    case .bytes(let bytes): Hex.string(bytes)
    case .list(let values): values.map(\.text).joined(separator: values.allSatisfy(\.isNumeric) ? " " : ", ")
    case .fields(let fields): "{\(fields.text)}"
    }
  }

  /// Whether a unit can follow it: words such as `unknown` have none.
  var isNumeric: Bool {
    switch self {
    case .integer, .decimal: true
    case .list(let values): values.contains(where: \.isNumeric)
    case .text, .bool, .bytes, .fields: false
    }
  }
}
