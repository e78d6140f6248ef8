// SPDX-License-Identifier: MIT

/// How much of the past a live chart shows, as a person changes it in round steps.
enum PlotWindow {
  private static let lengths = [1, 2, 5] + TimeAxis.lengths

  /// The next longer window.
  ///
  /// - Parameters:
  ///   - window: in seconds; nil for everything.
  ///   - newest: how long values have come, in seconds.
  /// - Returns: nil for everything, as soon as the window holds that.
  static func longer(than window: Double?, newest: Double) -> Double? {
    guard let window, window < newest else { return nil }
    return lengths.first { $0 > window }
  }

  /// The next shorter window; from everything, the longest that hides something.
  static func shorter(than window: Double?, newest: Double) -> Double {
    lengths.last { $0 < window ?? newest } ?? lengths[0]
  }
}
