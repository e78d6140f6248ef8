// SPDX-License-Identifier: MIT

/// The whole value of a read whose other parts are to follow, so that all parts belong together.
struct LongRead {
  /// How long the next part may take; afterwards, a part is read like a first one.
  ///
  /// BlueZ waits as long for the answer to a request.
  private static let time = Duration.seconds(30)

  private let value: [UInt8]
  private let end: ContinuousClock.Instant

  init(_ value: [UInt8], at now: ContinuousClock.Instant) {
    self.value = value
    end = now + Self.time
  }

  /// The value; nil when the next part comes too late.
  func value(at now: ContinuousClock.Instant) -> [UInt8]? { now < end ? value : nil }
}
