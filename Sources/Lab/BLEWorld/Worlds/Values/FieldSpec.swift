// SPDX-License-Identifier: MIT
internal import BLEFormats

/// A field of a beacon or of a layout: its name, and its values.
package struct FieldSpec: Sendable, Equatable {
  package enum Source: Sendable, Equatable {
    case constant(Word)
    /// These in turn, repeated forever.
    case list([Word])
    /// The numbers of a rule; a field with several elements takes as many of them at a time.
    case numbers(NumberRule)
    /// The elements of a field, each with values of its own.
    indirect case elements([Source])
  }

  /// A value as a world file writes it.
  package enum Word: Sendable, Equatable {
    case number(Double)
    case text(String)
    case flag(Bool)

    /// The value as decoding shows it.
    var text: String {
      switch self {
      case .number(let number): Self.text(number)
      case .text(let text): text
      case .flag(let flag): flag ? "yes" : "no"
      }
    }

    /// A number with at most six decimals, which no format exceeds.
    static func text(_ number: Double) -> String {
      if let whole = Int(exactly: number) { return "\(whole)" }
      guard number.magnitude < 1e12 else { return number.description }
      return DecimalNumber(mantissa: Int((number * 1e6).rounded()), exponent: -6).reduced.description
    }
  }

  /// The name that decoding gives it, with or without its unit.
  package var name: String
  package var source: Source

  package init(_ name: String, _ source: Source) { (self.name, self.source) = (name, source) }
}
