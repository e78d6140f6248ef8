// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A rule that generates values, the same ones in each run.
package enum ValueGenerator: Sendable, Hashable {
  /// These values in turn, repeated forever.
  case list([[UInt8]])
  /// A counter.
  case counter(Counter)
  /// A sine wave.
  case sine(Sine)
  /// A random walk with a seed.
  case walk(RandomWalk)
  /// The computer's clock, UTC: the only rule that differs between runs.
  case clock(ClockFormat)
}

/// How a number is encoded: a fixed prefix, then the number.
package struct NumberFormat: Sendable, Hashable {
  /// A numeric one: an integer, an IEEE 754 or an IEEE 11073 number.
  package var format: ValueFormat
  /// The bytes before the number.
  package var prefix: [UInt8]

  package init(_ format: ValueFormat, prefix: [UInt8] = []) {
    self.format = format
    self.prefix = prefix
  }

  /// Encodes a number, rounded to an integer, or to two decimals for an IEEE 11073 number.
  ///
  /// - Returns: the bytes, or nil when the number does not fit.
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

/// A counter that counts up or down and restarts past the end.
package struct Counter: Sendable, Hashable {
  package var number: NumberFormat
  package var first: Double
  package var step: Double
  /// The last number before the restart; nil for the last one that fits the format.
  package var last: Double?

  package init(_ number: NumberFormat, from first: Double = 0, step: Double = 1, to last: Double? = nil) {
    self.number = number
    self.first = first
    self.step = step
    self.last = last
  }
}

/// A sine wave that starts at the midpoint and rises.
package struct Sine: Sendable, Hashable {
  package var number: NumberFormat
  package var middle: Double
  package var amplitude: Double
  /// The number of values in one period.
  package var period: Int

  package init(_ number: NumberFormat, around middle: Double, amplitude: Double, period: Int) {
    self.number = number
    self.middle = middle
    self.amplitude = amplitude
    self.period = period
  }
}

/// A random walk with a largest step, within bounds.
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

/// How a time is encoded.
package enum ClockFormat: Sendable, Hashable, CaseIterable {
  /// The ten bytes of the characteristic Current Time (2A2B).
  case currentTime
  /// Text such as `2026-04-12 12:34:41`.
  case text
}
