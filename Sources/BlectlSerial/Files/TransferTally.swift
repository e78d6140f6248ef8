// SPDX-License-Identifier: MIT
internal import AsyncIO

/// How far a file has come, and how fast.
package final class TransferTally: Sendable {
  private struct State {
    var start = LoopClock.now
    var end: ContinuousClock.Instant?
    /// How many bytes were there before.
    var earlier = 0
    var certain = 0
    var uncertain = 0
  }

  /// The bytes of the file; nil if unknown.
  package let size: Int?
  private let state = Lock(State())

  package init(size: Int?) { self.size = size }

  /// Begins, or goes on after bytes that an earlier run has sent.
  package func begin(after earlier: Int = 0) {
    state.withLock { $0 = State(earlier: earlier, certain: earlier) }
  }

  package func set(certain: Int, uncertain: Int = 0) {
    state.withLock { ($0.certain, $0.uncertain) = (certain, uncertain) }
  }

  package func end() { state.withLock { $0.end = $0.end ?? LoopClock.now } }

  /// The bytes from the beginning that have certainly arrived.
  package var certain: Int { state.withLock { $0.certain } }
  /// How many of the next ones may have.
  package var uncertain: Int { state.withLock { $0.uncertain } }
  /// The bytes of this run.
  package var transferred: Int { state.withLock { $0.certain - $0.earlier } }
  package var earlier: Int { state.withLock { $0.earlier } }
  package var elapsed: Duration { state.withLock { ($0.end ?? LoopClock.now) - $0.start } }
  package var bytesPerSecond: Double { Double(transferred) / max(elapsed / .seconds(1), 0.000_001) }

  /// `12.0 of 64.0 kB, 20.1 kB/s, 3 s left`.
  package var progress: String {
    let rate = bytesPerSecond
    let amount = Self.kilobytes(Double(certain))
    guard let size else { return "\(amount) kB, \(Self.kilobytes(rate)) kB/s" }
    let left = transferred > 0 ? ", \(Int((Double(size - certain) / rate).rounded(.up))) s left" : ""
    return "\(amount) of \(Self.kilobytes(Double(size))) kB, \(Self.kilobytes(rate)) kB/s\(left)"
  }

  /// `65536 bytes in 3.2 s, 20.1 kB/s`.
  package var summary: String {
    "\(transferred.bytes) in \(Self.tenths(elapsed / .seconds(1))) s, \(Self.kilobytes(bytesPerSecond)) kB/s"
  }

  private static func kilobytes(_ bytes: Double) -> String { tenths(bytes / 1000) }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((min(number, 1e12) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
