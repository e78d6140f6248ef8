// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The strengths of a device in the last seconds.
struct SignalHistory: Sendable, Hashable {
  /// The length of the picture in seconds.
  static let length = 8

  /// One for each second up to ``second``, the newest last.
  private var slots: [Int?] = Array(repeating: nil, count: length)
  private var second = 0
  /// A smoothed strength for sorting.
  private(set) var steady: Double?

  /// Adds the strength of an advertisement in dBm; the seconds must not decrease.
  mutating func add(_ rssi: Int, second: Int) {
    slots = strengths(at: second)
    self.second = max(second, self.second)
    slots[SignalHistory.length - 1] = rssi
    steady = steady.map { $0 + (Double(rssi) - $0) / 8 } ?? Double(rssi)
  }

  /// The strengths of the seconds up to one, the newest last; nil if nothing was heard.
  func strengths(at second: Int) -> [Int?] {
    let passed = min(SignalHistory.length, max(0, second - self.second))
    return Array(slots.dropFirst(passed)) + Array(repeating: nil, count: passed)
  }
}

/// Signal strengths as pictures: a bar for the present, a sparkline for the last seconds.
///
/// All devices have the same scale, so that rows can be compared: empty at -100 dBm, full at -40 dBm.
struct SignalPicture: Sendable, Hashable {
  /// True if the terminal has the block characters; the console of Linux does not.
  var hasBlocks = true

  static let barWidth = 6

  private static let weakest = -100
  private static let strongest = -40
  private static let heights = Array("▁▂▃▄▅▆▇█")
  private static let plainHeights = Array(".:-=+*#@")
  private static let eighths = Array("▏▎▍▌▋▊▉█")

  init(hasBlocks: Bool = true) { self.hasBlocks = hasBlocks }

  init(term: String?) { hasBlocks = term != "linux" }

  /// Returns the number of steps, out of `most`, that a strength fills: at least one, since it was heard.
  private func steps(_ rssi: Int, of most: Int) -> Int {
    let (low, high) = (SignalPicture.weakest, SignalPicture.strongest)
    let inside = min(high, max(low, rssi)) - low
    return max(1, (inside * most + (high - low) / 2) / (high - low))
  }

  /// A bar that grows to the right: `███▌`.
  func bar(_ rssi: Int?) -> String {
    guard let rssi else { return "" }
    guard hasBlocks else {
      return String(repeating: "#", count: steps(rssi, of: SignalPicture.barWidth))
    }
    let (whole, part) = steps(rssi, of: SignalPicture.barWidth * 8).quotientAndRemainder(dividingBy: 8)
    return String(repeating: "█", count: whole) + (part == 0 ? "" : String(SignalPicture.eighths[part - 1]))
  }

  /// A column for each second, the newest at the right; a space if nothing was heard: `▂▃ ▄▄▅`.
  func sparkline(_ strengths: [Int?]) -> String {
    let heights = hasBlocks ? SignalPicture.heights : SignalPicture.plainHeights
    return String(strengths.map { $0.map { heights[steps($0, of: heights.count) - 1] } ?? " " })
  }

  /// Green if a link works well, red if it hardly works.
  static func color(_ rssi: Int?) -> TextStyle? {
    guard let rssi else { return nil }
    return rssi >= -65 ? .green : rssi >= -85 ? .yellow : .red
  }
}
