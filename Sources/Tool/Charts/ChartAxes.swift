// SPDX-License-Identifier: MIT
internal import Glibc

/// The time scale: from the first value to a round time, or a window before the present.
struct TimeAxis: Sendable, Hashable {
  struct Tick: Sendable, Hashable {
    /// The time in seconds since the first value.
    let time: Double
    let label: String
  }

  /// The ends, in seconds since the first value.
  let start: Double
  let end: Double
  /// True if times count back from the end, as in a window that moves.
  let isWindow: Bool

  /// Round lengths in seconds: the chart is calm because its scale changes only when necessary.
  static let lengths: [Double] = [
    10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000,
    864_000, 1_728_000, 2_592_000,
  ]

  private static let steps: [Double] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800]
    + [3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000, 2_592_000]

  /// - Parameters:
  ///   - newest: when the last value came, in seconds since the first one.
  ///   - window: its length in seconds; nil for everything.
  init(newest: Double, window: Double?) {
    isWindow = window != nil
    if let window {
      (start, end) = (newest - window, newest)
    } else {
      let longest = 2_592_000.0
      start = 0
      end = TimeAxis.lengths.first { newest <= $0 } ?? (newest / longest).rounded(.up) * longest
    }
  }

  /// 0 at the start, 1 at the end.
  func position(of time: Double) -> Double { (time - start) / (end - start) }

  /// The round times for its labels, from left to right.
  func ticks(most: Int) -> [Tick] {
    let length = end - start
    let most = Double(max(1, most))
    let step =
      TimeAxis.steps.first { length / $0 <= most } ?? (length / most / 86_400).rounded(.up) * 86_400
    let count = Int((length / step + 1e-9).rounded(.down))
    return (0...count).map { index in
      let distance = Double(index) * step
      if isWindow {
        let label = index == 0 ? "now" : "-" + TimeAxis.label(distance, step: step)
        return Tick(time: end - distance, label: label)
      }
      return Tick(time: start + distance, label: TimeAxis.label(distance, step: step))
    }.sorted { $0.time < $1.time }
  }

  /// `0.5 s`, `15 s`, `2 min`, `3 h` or `7 d`, depending on the step.
  static func label(_ time: Double, step: Double) -> String {
    let units: [(String, Double)] = [("d", 86_400), ("h", 3600), ("min", 60)]
    for (unit, seconds) in units where step.truncatingRemainder(dividingBy: seconds) == 0 {
      return "\(ChartNumber.fixed(time / seconds, decimals: 0)) \(unit)"
    }
    let decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2
    return "\(ChartNumber.fixed(time, decimals: decimals)) s"
  }
}

/// The scale of values: its ends, and the round numbers of its labels.
///
/// It exists for any two numbers. Doubles are not evenly spaced: the difference of two large ones may be
/// infinite, and a part of a small one may be zero. So numbers are first limited to a safe range.
struct ValueAxis: Sendable, Hashable {
  struct Tick: Sendable, Hashable {
    let value: Double
    let label: String
  }

  let low: Double
  let high: Double
  /// The ticks, from the lowest to the highest.
  let ticks: [Tick]

  /// Numbers closer to zero count as zero, and numbers beyond the range count as its end.
  private static let magnitudes = 1e-280...1e300
  /// More labels than fit on any screen.
  private static let greatestRoom = 1000

  /// Makes a scale from `least` to `greatest` with up to `mostTicks` labels, but at least two or three.
  init(from least: Double, to greatest: Double, mostTicks: Int) {
    let ends = (ValueAxis.drawable(least), ValueAxis.drawable(greatest))
    var (least, greatest) = (min(ends.0, ends.1), max(ends.0, ends.1))
    // A constant line lies in the middle; so does one whose changes are too small to be visible.
    if greatest - least <= max(least.magnitude, greatest.magnitude) * 1e-9 {
      let middle = least / 2 + greatest / 2
      let margin = middle == 0 ? 1 : middle.magnitude / 10
      (least, greatest) = (middle - margin, middle + margin)
    }
    // At least two: values on both sides of zero need more than one.
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

  /// 0 at the low end, 1 at the high end.
  func position(of value: Double) -> Double {
    min(1, max(0, (ValueAxis.drawable(value) - low) / (high - low)))
  }

  /// Limits a number to the drawable range; NaN becomes 0.
  private static func drawable(_ number: Double) -> Double {
    if number.isNaN || number.magnitude < magnitudes.lowerBound { return 0 }
    return max(-magnitudes.upperBound, min(magnitudes.upperBound, number))
  }

  /// The multiples of a step that enclose two numbers; tolerates rounding errors.
  private static func multiples(
    of step: Double, around least: Double, _ greatest: Double
  ) -> (Double, Double) {
    ((least / step + 1e-9).rounded(.down), (greatest / step - 1e-9).rounded(.up))
  }

  /// Returns 1, 2 or 5 times a power of ten.
  private static func roundStep(atLeast wanted: Double) -> Double {
    let power = pow(10, log10(wanted).rounded(.down))
    for factor in [1.0, 2, 5] where factor * power >= wanted { return factor * power }
    return 10 * power
  }
}

/// Formats the numbers of a chart.
enum ChartNumber {
  /// All digits of a number: `72`, `21.5`.
  static func exact(_ number: Double) -> String {
    if number.magnitude < 1e15, let whole = Int(exactly: number) { return String(whole) }
    return number.description
  }

  static func fixed(_ number: Double, decimals: Int) -> String {
    guard decimals <= 9, number.magnitude < 1e9 else { return exact(number) }
    let factor = (0..<max(0, decimals)).reduce(1) { power, _ in power * 10 }
    let scaled = Int((number * Double(factor)).rounded())
    let whole = String(scaled.magnitude / factor.magnitude)
    let sign = scaled < 0 ? "-" : ""
    if decimals <= 0 { return sign + whole }
    let digits = String(scaled.magnitude % factor.magnitude)
    return sign + whole + "." + String(repeating: "0", count: decimals - digits.utf8.count) + digits
  }
}
