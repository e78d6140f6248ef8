// SPDX-License-Identifier: MIT
package import BLEFormats

/// Advertised data of a known format, by its values.
package struct BeaconSpec: Sendable, Equatable {
  package var format: BeaconFormat
  /// The values, in the order of the file.
  package var values: [BeaconValue]
  /// The time that the values stay the same.
  package var interval: Duration
  /// The key that encrypts the data, if any.
  package var key: BindKey?
  /// The counter of the first encrypted packet; each further one increases it.
  package var firstCounter: UInt32

  package init(
    _ format: BeaconFormat, _ values: [BeaconValue], every interval: Duration = .seconds(1),
    key: BindKey? = nil, firstCounter: UInt32 = 0
  ) {
    (self.format, self.values, self.interval, self.key) = (format, values, interval, key)
    self.firstCounter = firstCounter
  }
}

/// A value of a beacon: its name, and what it is.
package struct BeaconValue: Sendable, Equatable {
  package enum Source: Sendable, Equatable {
    case constant(Word)
    /// These in turn, repeated forever.
    case list([Word])
    case numbers(NumberRule)
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

extension BeaconSpec {
  /// True if it advertises something else each time.
  var isChanging: Bool {
    key != nil || values.contains { if case .constant = $0.source { false } else { true } }
  }
}
