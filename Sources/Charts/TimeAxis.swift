// SPDX-License-Identifier: MIT

/// The scale of time: from the first value to a round time, or a window before now.
struct TimeAxis: Sendable, Hashable {
  struct Tick: Sendable, Hashable {
    /// In seconds since the first value.
    let time: Double
    let label: String
  }

  /// Its ends, in seconds since the first value.
  let start: Double
  let end: Double
  /// Whether times count back from the end, as in a window that moves.
  let isWindow: Bool

  /// Round lengths, in seconds: the chart is calm because its scale changes only when the next one is needed.
  static let lengths: [Double] = [
    10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000,
    864_000, 1_728_000, 2_592_000,
  ]

  private static let steps: [Double] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800]
    + [3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000, 2_592_000]

  /// - Parameters:
  ///   - newest: when the last value came, in seconds since the first one.
  ///   - window: how long it is; nil for everything.
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

  /// The position of a time: 0 at the start, 1 at the end.
  func position(of time: Double) -> Double { (time - start) / (end - start) }

  /// Round times that are written at it, from left to right.
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

  /// `0.5 s`, `15 s`, `2 min`, `3 h`, `7 d`, by the step.
  static func label(_ time: Double, step: Double) -> String {
    let units: [(String, Double)] = [("d", 86_400), ("h", 3600), ("min", 60)]
    for (unit, seconds) in units where step.truncatingRemainder(dividingBy: seconds) == 0 {
      return "\(ChartNumber.fixed(time / seconds, decimals: 0)) \(unit)"
    }
    let decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2
    return "\(ChartNumber.fixed(time, decimals: decimals)) s"
  }
}
