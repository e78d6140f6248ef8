// SPDX-License-Identifier: MIT

/// The number of writes without response that may wait for the device's confirmation.
///
/// Few at first, then as many as the link transmits in about a second. With at most 128, ATT's 30 s suffice even if the link
/// suddenly slows down to 200 ms for each packet. They are sent in halves: while the device confirms one, the link transmits
/// the other.
struct WriteWindow {
  private(set) var size = 32

  private static let sizes = 4...128

  /// Adapts the size to the time from sending some until they were confirmed; only half a window shows that more would fit.
  mutating func confirmed(_ count: Int, after time: Duration) {
    if time < .milliseconds(500), count >= size / 2 { size = min(size * 2, WriteWindow.sizes.upperBound) }
    if time > .seconds(3) { size = max(size / 2, WriteWindow.sizes.lowerBound) }
  }
}
