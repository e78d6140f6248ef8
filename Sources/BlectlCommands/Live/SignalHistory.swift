// SPDX-License-Identifier: MIT

/// How strong a device was in the last seconds.
struct SignalHistory: Sendable, Hashable {
  /// How many seconds are kept.
  static let length = 8

  /// One for each second up to ``second``, the newest last.
  private var slots: [Int?] = Array(repeating: nil, count: length)
  private var second = 0
  /// A strength that does not jump with each advertisement, to sort by.
  private(set) var steady: Double?

  /// Notes the strength of an advertisement.
  ///
  /// - Parameters:
  ///   - rssi: in dBm.
  ///   - second: when; never before the last one.
  mutating func add(_ rssi: Int, second: Int) {
    slots = strengths(at: second)
    self.second = max(second, self.second)
    slots[SignalHistory.length - 1] = rssi
    steady = steady.map { $0 + (Double(rssi) - $0) / 8 } ?? Double(rssi)
  }

  /// The strengths of the seconds up to one, the newest last; nil where nothing was heard.
  func strengths(at second: Int) -> [Int?] {
    let passed = min(SignalHistory.length, max(0, second - self.second))
    return Array(slots.dropFirst(passed)) + Array(repeating: nil, count: passed)
  }
}
