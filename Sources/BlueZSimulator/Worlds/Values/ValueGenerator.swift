// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A rule that gives one value after another, the same ones at each run.
package enum ValueGenerator: Sendable, Hashable {
  /// These values in turn, for ever.
  case list([[UInt8]])
  /// Numbers that count.
  case counter(Counter)
  /// Numbers that swing around a middle.
  case sine(Sine)
  /// Numbers that wander by chance, with a seed.
  case walk(RandomWalk)
  /// The time of the computer's clock, UTC: the one rule that differs from run to run.
  case clock(ClockFormat)
}

/// How a number stands in a value: bytes that are always the same, then the number.
package struct NumberFormat: Sendable, Hashable {
  /// A numeric one: an integer, an IEEE 754 or an IEEE 11073 number.
  package var format: ValueFormat
  /// What stands before the number.
  package var prefix: [UInt8]

  package init(_ format: ValueFormat, prefix: [UInt8] = []) {
    self.format = format
    self.prefix = prefix
  }

  /// The value with a number, which is rounded: to a whole one, or to two decimals of an IEEE 11073 number.
  ///
  /// Nil when the number does not fit.
  func bytes(_ number: Double) -> [UInt8]? {
    let text: String
    switch format {
    case .integer: text = Int128(exactly: number.rounded()).map { $0.description } ?? "too large"
    case .medical: text = ((number * 100).rounded() / 100).description
    default: text = number.description
    }
    return (try? format.encode(text)).map { prefix + $0 }
  }
}

/// Numbers that count up or down, and begin again past the end.
package struct Counter: Sendable, Hashable {
  package var number: NumberFormat
  package var first: Double
  package var step: Double
  /// The last one before the count begins again; nil for the last one that fits the format.
  package var last: Double?

  package init(_ number: NumberFormat, from first: Double = 0, step: Double = 1, to last: Double? = nil) {
    self.number = number
    self.first = first
    self.step = step
    self.last = last
  }
}

/// Numbers on a sine: the first is the middle, and they climb.
package struct Sine: Sendable, Hashable {
  package var number: NumberFormat
  package var middle: Double
  package var amplitude: Double
  /// How many values one swing takes.
  package var period: Int

  package init(_ number: NumberFormat, around middle: Double, amplitude: Double, period: Int) {
    self.number = number
    self.middle = middle
    self.amplitude = amplitude
    self.period = period
  }
}

/// Numbers that differ from the one before by at most a step, and stay within bounds.
package struct RandomWalk: Sendable, Hashable {
  package var number: NumberFormat
  package var first: Double
  package var step: Double
  package var least: Double
  package var greatest: Double
  package var seed: UInt64

  package init(
    _ number: NumberFormat, from first: Double, step: Double, within bounds: ClosedRange<Double>,
    seed: UInt64 = 1
  ) {
    self.number = number
    self.first = first
    self.step = step
    least = bounds.lowerBound
    greatest = bounds.upperBound
    self.seed = seed
  }
}

/// How a time is told.
package enum ClockFormat: Sendable, Hashable, CaseIterable {
  /// The ten bytes of the characteristic Current Time (2A2B).
  case currentTime
  /// Text such as `2026-04-12 12:34:41`.
  case text
}
