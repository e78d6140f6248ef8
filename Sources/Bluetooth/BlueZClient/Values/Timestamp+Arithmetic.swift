// SPDX-License-Identifier: MIT

extension Timestamp {
  package var nanosecondsSince1970: Int128 { Int128(seconds) * 1_000_000_000 + Int128(nanoseconds) }

  package init(nanosecondsSince1970 time: Int128) {
    let (quotient, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    let borrow: Int128 = rest < 0 ? 1 : 0
    self.init(seconds: Int(quotient - borrow), nanoseconds: Int(rest + borrow * 1_000_000_000))
  }

  /// Returns the moment that was a duration ago; parts of a nanosecond of the duration do not count.
  package func before(_ duration: Duration) -> Timestamp {
    Timestamp(nanosecondsSince1970: nanosecondsSince1970 - duration.wholeNanoseconds)
  }

  /// Returns the time that has passed since a moment; negative if that is later.
  package func duration(since start: Timestamp) -> Duration {
    .seconds(seconds - start.seconds) + .nanoseconds(nanoseconds - start.nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds, without parts of one.
  package var wholeNanoseconds: Int128 {
    Int128(components.seconds) * 1_000_000_000 + Int128(components.attoseconds / 1_000_000_000)
  }
}
