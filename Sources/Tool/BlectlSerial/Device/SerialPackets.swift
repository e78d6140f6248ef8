// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The packets that bytes in a queue become: full ones, and one that is not when the device has confirmed all before it.
///
/// Programs that write byte by byte would otherwise fill the link with packets of one byte.
final class SerialPackets: WriteSource {
  private struct State {
    /// The sizes of those that were given out, and have not arrived.
    var sizes: ArraySlice<Int> = []
    /// The number of packets that have arrived.
    var arrived = 0
    /// The number of bytes in flight, the first ones of the queue.
    var onTheWay = 0
    /// True if no credit came in time.
    var hasStalled = false
  }

  private let size: Int
  private let queue: ByteQueue
  private let credits: SerialCredits?
  private let patience: Duration?
  private let loop: EventLoop
  private let state = Lock(State())

  /// Makes packets of up to `size` bytes, as many as there are credits for; nil stands for any number.
  ///
  /// If no credit comes for `patience`, they end; nil sets no limit.
  init(
    of size: Int, from queue: ByteQueue, permittedBy credits: SerialCredits?, patience: Duration? = nil,
    on loop: EventLoop
  ) {
    (self.size, self.queue, self.credits) = (size, queue, credits)
    (self.patience, self.loop) = (patience, loop)
  }

  /// True if they have ended because no credit came in time.
  var hasStalled: Bool { state.withLock { $0.hasStalled } }

  /// The number of bytes that were given out but have not arrived.
  var onTheWay: Int { state.withLock { $0.onTheWay } }

  /// Returns the number of bytes in the first packets that have not arrived.
  func bytes(ofFirst count: Int) -> Int { state.withLock { $0.sizes.prefix(count).reduce(0, +) } }

  /// Records the number of packets that have arrived by now, and returns the number of bytes in the new ones.
  func arrived(_ count: Int) -> Int {
    state.withLock { state in
      let news = state.sizes.prefix(count - state.arrived)
      let bytes = news.reduce(0, +)
      state.sizes = state.sizes.dropFirst(news.count)
      state.arrived = count
      state.onTheWay -= bytes
      return bytes
    }
  }

  func next(_ most: Int) -> [[UInt8]]? {
    if hasStalled { return nil }
    let onTheWay = onTheWay
    let room = credits.map { min($0.count, most) } ?? most
    guard let bytes = queue.bytes(behind: onTheWay, max(1, room) * size) else { return nil }
    guard room > 0 else { return [] }
    let isLast = onTheWay == 0 || queue.isEnded
    let packets = (isLast ? bytes : bytes.dropLast(bytes.count % size)).parts(of: size)
    credits?.spend(packets.count)
    state.withLock { state in
      state.sizes += packets.map(\.count)
      state.onTheWay += packets.reduce(0) { $0 + $1.count }
    }
    return packets
  }

  func waitForNext() async {
    await queue.waitForCount { [self] count in
      let onTheWay = onTheWay
      return onTheWay == 0 ? count > 0 : count >= onTheWay + size
    }
    // The end needs no credit.
    guard let credits, queue.bytes(behind: onTheWay, 1) != nil else { return }
    guard let patience else { return await credits.waitUntilAvailable() }
    // Cancellation ends the wait, too.
    try? await loop.limited(to: patience) { await credits.waitUntilAvailable() }
    if !Task.isCancelled, credits.count == 0 { state.withLock { $0.hasStalled = true } }
  }
}
