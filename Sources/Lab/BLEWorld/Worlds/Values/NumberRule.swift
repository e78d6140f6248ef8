// SPDX-License-Identifier: MIT

/// A rule that generates numbers, the same ones in each run.
package enum NumberRule: Sendable, Equatable {
  case counter(Counter)
  case ramp(Ramp)
  case sine(Sine)
  case walk(RandomWalk)
  case random(RandomNumbers)
}

/// A counter that counts up or down and restarts past the end.
package struct Counter: Sendable, Equatable {
  package var first: Double
  package var step: Double
  /// The last number before the restart; nil for the last one that can be encoded.
  package var last: Double?

  package init(from first: Double = 0, step: Double = 1, to last: Double? = nil) {
    (self.first, self.step, self.last) = (first, step, last)
  }
}

/// A ramp up or down, which restarts after its last number.
package struct Ramp: Sendable, Equatable {
  package var first: Double
  package var last: Double
  /// The number of values from the first to the last one, at least 2.
  package var period: Int
}

/// A sine wave that starts at the midpoint and rises.
package struct Sine: Sendable, Equatable {
  package var middle: Double
  package var amplitude: Double
  /// The number of values in one period.
  package var period: Int
}

/// A random walk with a largest step, within bounds.
package struct RandomWalk: Sendable, Equatable {
  package var first: Double
  package var step: Double
  package var least: Double
  package var greatest: Double
  package var seed: UInt64

  package init(from first: Double, step: Double, within bounds: ClosedRange<Double>, seed: UInt64 = 1) {
    (self.first, self.step) = (first, step)
    least = bounds.lowerBound
    greatest = bounds.upperBound
    self.seed = seed
  }
}

/// Random numbers within bounds, each independent of the others.
package struct RandomNumbers: Sendable, Equatable {
  package var least: Double
  package var greatest: Double
  package var seed: UInt64

  package init(within bounds: ClosedRange<Double>, seed: UInt64 = 1) {
    (least, greatest, self.seed) = (bounds.lowerBound, bounds.upperBound, seed)
  }
}
