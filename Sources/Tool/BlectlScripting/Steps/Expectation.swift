// SPDX-License-Identifier: MIT
internal import BLECentral
package import BlectlArguments
internal import BlectlSession
internal import ValueStreams

/// The values that `expect` waits for.
package struct Expectation: Sendable {
  let characteristic: CharacteristicArgument
  let pattern: ValuePattern
  /// Nil is the timeout of the run; for a read, a single attempt.
  let within: DurationArgument?
  /// The number of values that must match.
  let count: Int
  /// True if the value is read, instead of notified.
  let isRead: Bool

  package init(
    _ pattern: ValuePattern, from characteristic: CharacteristicArgument, within: DurationArgument? = nil,
    count: Int = 1, isRead: Bool = false
  ) {
    (self.pattern, self.characteristic, self.within) = (pattern, characteristic, within)
    (self.count, self.isRead) = (count, isRead)
  }

  /// The pattern, and how often it was expected, for messages.
  var description: String { count == 1 ? pattern.text : "\(pattern.text) \(count) times" }

  /// The error when other values came; it shows them.
  ///
  /// - Parameters:
  ///   - characteristic: the source of the values.
  ///   - meaning: that of its values, if known.
  ///   - values: the last values, oldest first.
  ///   - count: how many did not match, and how many did.
  ///   - forgotten: how many of the others were never compared, because too many waited.
  ///   - limit: the length of the wait; nil if there was none.
  /// - Returns: the error.
  func unmet(
    by characteristic: GATTCharacteristic, _ meaning: ValueMeaning?, last values: [ReceivedValue],
    count: (others: Int, matches: Int), forgotten: Int = 0, within limit: DurationArgument?
  ) -> CommandError {
    let time = limit.map { " within \($0)" } ?? ""
    let last = values.last.map { pattern.shown($0.value, meaning) } ?? "lost"
    let why =
      switch (count.matches, count.others) {
      case (0, 0): "no value came"
      case (0, 1): "the value was \(last)"
      case (0, let others): "\(others) other values came, the last \(last)"
      case (let matches, let others): "\(matches) came, and \(others) other\(others == 1 ? "" : "s")"
      }
    return CommandError(
      status: .failed, message: "cannot get \(description) from \(characteristic.title)\(time): \(why)",
      details: (forgotten == 0
        ? []
        : ["the first \(forgotten) were not looked at: at most \(ValueWatch.capacity) values wait for expect"])
        + (values.count < 2 ? [] : values.map { "\($0.time.local) \(pattern.shown($0.value, meaning))" }))
  }
}
