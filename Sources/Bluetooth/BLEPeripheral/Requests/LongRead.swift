// SPDX-License-Identifier: MIT

/// The value of a long read that has more parts to follow, so that all parts belong together.
struct LongRead {
  /// The time limit for the next part, which is BlueZ's limit for a request.
  ///
  /// A later part is read like a first one.
  private static let time = Duration.seconds(30)

  private let value: [UInt8]
  private let end: ContinuousClock.Instant

  init(_ value: [UInt8], at now: ContinuousClock.Instant) {
    self.value = value
    end = now + Self.time
  }

  /// The value; nil if the next part comes too late.
  func value(at now: ContinuousClock.Instant) -> [UInt8]? { now < end ? value : nil }
}
