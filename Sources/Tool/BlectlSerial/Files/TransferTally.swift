// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlueZClient
internal import TerminalOutput

/// The progress and the speed of a file transfer.
package final class TransferTally: Sendable {
  private struct State {
    var start = LoopClock.now
    var end: ContinuousClock.Instant?
    /// The times when the first and the last bytes arrived from a device.
    var arrivals: (first: Timestamp, last: Timestamp)?
    var hasBegun = false
    /// The number of bytes that were present before this run.
    var earlier = 0
    var certain = 0
    var uncertain = 0
    var isAcknowledged: Bool?
  }

  /// A transfer of so little time has no rate.
  private static let shortest = Duration.milliseconds(1)

  /// The bytes of the file; nil if unknown.
  package let size: Int?
  private let state = Lock(State())

  package init(size: Int?) { self.size = size }

  /// Begins, or goes on after bytes that an earlier run has sent.
  package func begin(after earlier: Int = 0) {
    state.withLock { state in
      (state.earlier, state.certain, state.uncertain) = (earlier, earlier, 0)
      (state.start, state.end, state.hasBegun) = (LoopClock.now, nil, true)
    }
  }

  package func set(certain: Int, uncertain: Int = 0) {
    state.withLock { ($0.certain, $0.uncertain) = (certain, uncertain) }
  }

  package func end() { state.withLock { $0.end = $0.end ?? LoopClock.now } }

  /// Counts bytes that came from a device between two moments: the silence before the first and behind the last ones is
  /// no part of the transfer.
  package func add(_ count: Int, from first: Timestamp, to last: Timestamp) {
    state.withLock { state in
      state.certain += count
      state.arrivals = (state.arrivals?.first ?? first, last)
    }
  }

  /// Records whether the device acknowledges the data that it is sent.
  package func note(isAcknowledged: Bool) { state.withLock { $0.isAcknowledged = isAcknowledged } }

  /// True if the device has answered for the bytes; nil for those that it has sent.
  package var isAcknowledged: Bool? { state.withLock { $0.isAcknowledged } }
  /// True if the transfer has begun, so that the numbers say something.
  package var hasBegun: Bool { state.withLock { $0.hasBegun } }
  /// The bytes from the beginning that have certainly arrived.
  package var certain: Int { state.withLock { $0.certain } }
  /// The number of following bytes that may have arrived.
  package var uncertain: Int { state.withLock { $0.uncertain } }
  /// The bytes of this run.
  package var transferred: Int { state.withLock { $0.certain - $0.earlier } }
  package var earlier: Int { state.withLock { $0.earlier } }
  package var elapsed: Duration {
    state.withLock { state in
      guard let arrivals = state.arrivals else { return (state.end ?? LoopClock.now) - state.start }
      return max(.zero, arrivals.last.duration(since: arrivals.first))
    }
  }
  /// Nil if everything came at once.
  package var bytesPerSecond: Double? {
    // With a type, since Swift 6.2 infers another one.
    let seconds: Double = elapsed / .seconds(1)
    return elapsed < Self.shortest ? nil : Double(transferred) / seconds
  }

  /// `12.0 of 64.0 kB, 20.1 kB/s, 3 s left`.
  package var progress: String {
    let rate = bytesPerSecond ?? 0
    let amount = Self.kilobytes(Double(certain))
    guard let size else { return "\(amount) kB, \(Self.speed(rate))" }
    let left =
      rate > 0 ? ", \(Int((Double(size - certain) / rate).rounded(.up))) s left" : ""
    return "\(amount) of \(Self.kilobytes(Double(size))) kB, \(Self.speed(rate))\(left)"
  }

  /// `65536 bytes in 3.2 s, 20.1 kB/s`.
  package var summary: String {
    let rate = bytesPerSecond.map { ", \(Self.speed($0))" } ?? ""
    return "\(transferred.bytes) in \(Self.tenths(elapsed / .seconds(1))) s\(rate)"
  }

  /// `20.1 kB/s`, or `40 B/s`.
  private static func speed(_ bytes: Double) -> String {
    bytes < 1000 ? "\(Int(bytes)) B/s" : "\(kilobytes(bytes)) kB/s"
  }

  private static func kilobytes(_ bytes: Double) -> String { tenths(bytes / 1000) }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((min(number, 1e12) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension String {
  /// The name of the file at the end of a path, shortened for a line that has more to say.
  var lastPart: String { DisplayWidth.truncated(String(split(separator: "/").last ?? "-"), to: 24) }
}
