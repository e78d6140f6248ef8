// SPDX-License-Identifier: MIT

/// A manual control for a value with a single field: a number, a switch or a button.
package struct LayoutControl: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// From the least to the greatest, in steps.
    case number(least: DecimalNumber, greatest: DecimalNumber, step: DecimalNumber)
    /// One of two words; `isTruth` if JSON has them as true and false.
    case toggle(off: String, on: String, isTruth: Bool)
    /// The only word.
    case press(String)
  }

  /// The key of the field: what is written is `KEY=VALUE`.
  package let key: String
  package let label: String
  package let unit: String
  package let kind: Kind
}

extension ValueLayout {
  /// The manual control for a value; nil if the value has several fields, or another kind of field.
  package var control: LayoutControl? {
    let shown = parts.filter { !$0.isUnused }
    guard shown.count == 1, let part = shown.first, part.condition == nil, !part.isOptional else {
      return nil
    }
    switch part.content {
    case .field(let field):
      let kind: LayoutControl.Kind?
      switch field.kind {
      case .number(let shape): kind = shape.control
      case .choice(let choice, _): kind = choice.control
      default: kind = nil
      }
      return kind.map { LayoutControl(key: field.key, label: field.label, unit: field.unit, kind: $0) }
    case .word(let word):
      guard word.fields.count == 1, let field = word.fields.first, field.condition == nil,
        case .choice(let choice) = field.kind, let kind = choice.control
      else { return nil }
      return LayoutControl(key: field.key, label: field.label, unit: field.unit, kind: kind)
    }
  }
}

extension NumberShape {
  fileprivate var control: LayoutControl.Kind? {
    // A quotient has no steps that a decimal number could name, and eight bytes have too many steps to set by hand.
    guard scale.divisor == 1, width.size <= 4 else { return nil }
    let range = allowed.map { Int128($0.lowerBound)...Int128($0.upperBound) } ?? width.wholeRange
    let ends = [scale.number(range.lowerBound), scale.number(range.upperBound)]
    let isFalling = scale.multiplier < 0
    let step = DecimalNumber(mantissa: abs(scale.multiplier), exponent: scale.decimal)
    return .number(
      least: ends[isFalling ? 1 : 0].reduced, greatest: ends[isFalling ? 0 : 1].reduced, step: step.reduced)
  }
}

extension Choice {
  fileprivate var control: LayoutControl.Kind? {
    let values = numbers.compactMap { value(of: $0) }
    switch values.count {
    case 1: return .press(values[0].text)
    case 2:
      let isTruth = if case .bool = values[0] { true } else { false }
      return .toggle(off: values[0].text, on: values[1].text, isTruth: isTruth)
    default: return nil
    }
  }
}
