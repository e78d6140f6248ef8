// SPDX-License-Identifier: MIT
internal import Glibc

/// The scale of values: its ends, and the round numbers that are written at it.
///
/// There is one for any two numbers. A double has steps that are not even: the difference of two large ones may be
/// infinite, and a part of a small one may be zero. So numbers are taken to a range first in which neither happens.
struct ValueAxis: Sendable, Hashable {
  struct Tick: Sendable, Hashable {
    let value: Double
    let label: String
  }

  let low: Double
  let high: Double
  /// From the lowest to the highest.
  let ticks: [Tick]

  /// What is closer to zero is taken for zero, and what is farther away for this far.
  private static let magnitudes = 1e-280...1e300
  /// More numbers than any screen has room for.
  private static let greatestRoom = 1000

  /// A scale for values.
  ///
  /// - Parameters:
  ///   - least: the least of them.
  ///   - greatest: the greatest of them.
  ///   - mostTicks: how many numbers there is room for; three are written in any case, or two.
  init(from least: Double, to greatest: Double, mostTicks: Int) {
    let ends = (ValueAxis.drawable(least), ValueAxis.drawable(greatest))
    var (least, greatest) = (min(ends.0, ends.1), max(ends.0, ends.1))
    // A line that does not move lies in the middle; so does one that moves too little to be seen.
    if greatest - least <= max(least.magnitude, greatest.magnitude) * 1e-9 {
      let middle = least / 2 + greatest / 2
      let margin = middle == 0 ? 1 : middle.magnitude / 10
      (least, greatest) = (middle - margin, middle + margin)
    }
    // Two at least: what lies on both sides of zero cannot do with one.
    let most = Double(min(max(3, mostTicks), ValueAxis.greatestRoom) - 1)
    var step = ValueAxis.roundStep(atLeast: (greatest - least) / most)
    var (first, end) = ValueAxis.multiples(of: step, around: least, greatest)
    while end - first > most {
      step = ValueAxis.roundStep(atLeast: step * 1.01)
      (first, end) = ValueAxis.multiples(of: step, around: least, greatest)
    }
    let count = Int(max(1, end - first))
    (low, high) = (first * step, (first + Double(count)) * step)
    let decimals = max(0, -Int(log10(step * 1.001).rounded(.down)))
    ticks = (0...count).map { index in
      let value = (first + Double(index)) * step
      return Tick(value: value, label: ChartNumber.fixed(value, decimals: decimals))
    }
  }

  /// The position of a value: 0 at the low end, 1 at the high one.
  func position(of value: Double) -> Double {
    min(1, max(0, (ValueAxis.drawable(value) - low) / (high - low)))
  }

  /// The number that is drawn for a number; zero for what is none.
  private static func drawable(_ number: Double) -> Double {
    if number.isNaN || number.magnitude < magnitudes.lowerBound { return 0 }
    return max(-magnitudes.upperBound, min(magnitudes.upperBound, number))
  }

  /// Which multiples of a step enclose two numbers; what lies on one but for rounding lies on it.
  private static func multiples(
    of step: Double, around least: Double, _ greatest: Double
  ) -> (Double, Double) {
    ((least / step + 1e-9).rounded(.down), (greatest / step - 1e-9).rounded(.up))
  }

  /// 1, 2 or 5 times a power of ten.
  private static func roundStep(atLeast wanted: Double) -> Double {
    let power = pow(10, log10(wanted).rounded(.down))
    for factor in [1.0, 2, 5] where factor * power >= wanted { return factor * power }
    return 10 * power
  }
}
