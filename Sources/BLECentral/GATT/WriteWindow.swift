// SPDX-License-Identifier: MIT

/// How many writes without response are sent before the device confirms them.
///
/// Few at first, then as many as the link transmits in about a second, so that the confirmation costs little.
/// With at most 128, ATT's 30 s suffice even if the link suddenly slows down to 200 ms for each packet.
struct WriteWindow {
  private(set) var size = 16

  private static let sizes = 4...128

  /// Adapts the size to the time until a window was confirmed; only a full one shows that more would fit.
  mutating func confirmed(_ count: Int, after time: Duration) {
    if time < .milliseconds(500), count >= size { size = min(size * 2, WriteWindow.sizes.upperBound) }
    if time > .seconds(3) { size = max(size / 2, WriteWindow.sizes.lowerBound) }
  }
}
