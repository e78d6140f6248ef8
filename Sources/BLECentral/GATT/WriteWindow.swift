// SPDX-License-Identifier: MIT

/// How many writes without response are sent before the device confirms them.
///
/// Few at first, then as many as the link carries in about a second, so that the confirmation costs little. With 128 at
/// most, ATT's 30 s suffice even when the link suddenly becomes slow: 200 ms for each packet.
struct WriteWindow {
  private(set) var size = 16

  private static let sizes = 4...128

  /// Adapts the size to the time that a whole window took to be confirmed.
  mutating func confirmed(after time: Duration) {
    if time < .milliseconds(500) { size = min(size * 2, WriteWindow.sizes.upperBound) }
    if time > .seconds(3) { size = max(size / 2, WriteWindow.sizes.lowerBound) }
  }
}
