// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Bytes that wait between two tasks, in order and up to a limit.
package final class ByteQueue: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    /// The number of bytes that are taken but not yet removed from the array.
    var taken = 0
    var limit: Int
    var isEnded = false

    var count: Int { bytes.count - taken }
    var room: Int { max(0, limit - count) }

    mutating func remove(_ count: Int) {
      taken += count
      // Moving the rest each time would take quadratic time.
      guard taken >= bytes.count / 2 else { return }
      bytes.removeFirst(taken)
      taken = 0
    }
  }

  private let state: Watched<State>

  /// `limit` is how many bytes may wait.
  package init(limit: Int) { state = Watched(State(limit: limit)) }

  package var count: Int { state.withLock { $0.count } }
  package var isEnded: Bool { state.withLock { $0.isEnded } }
  package var room: Int { state.withLock { $0.room } }

  /// Changes the limit; bytes beyond a lower one stay.
  package func setLimit(_ limit: Int) { state.change { $0.limit = limit } }

  // MARK: Adding

  /// Adds all the bytes, even beyond the limit, for a producer that has waited for room.
  package func add(_ bytes: [UInt8]) { state.change { $0.bytes += bytes } }

  /// Puts bytes before all others, even beyond the limit: they were taken, and did not reach their reader.
  package func putBack(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    state.change { state in
      state.bytes.replaceSubrange(..<state.taken, with: bytes)
      state.taken = 0
    }
  }

  /// Adds the bytes if all of them fit; a queue that is empty takes any number.
  package func offer(_ bytes: [UInt8]) -> Bool {
    state.change { state in
      guard bytes.count <= state.room || state.count == 0 else { return false }
      state.bytes += bytes
      return true
    }
  }

  /// Says that no more bytes follow.
  package func end() { state.change { $0.isEnded = true } }

  /// Waits until there is room; returns false if the task is cancelled first.
  package func waitForRoom() async -> Bool { await state.wait { $0.room > 0 } }

  // MARK: Taking

  /// Waits for bytes; returns false at the end, or if the task is cancelled and there are none.
  package func waitForBytes() async -> Bool {
    await state.wait { $0.count > 0 || $0.isEnded }
    return count > 0
  }

  /// Up to `most` bytes behind the first `offset`, all of which stay in the queue; nil if there are none before the end.
  package func bytes(behind offset: Int = 0, _ most: Int) -> [UInt8]? {
    state.withLock { state in
      let bytes = state.bytes.dropFirst(state.taken + offset).prefix(most)
      return bytes.isEmpty && state.isEnded ? nil : Array(bytes)
    }
  }

  package func remove(_ count: Int) { state.change { $0.remove(count) } }

  /// Waits for bytes, and returns up to `most`, which stay in the queue; nil at the end, or if the task is cancelled.
  package func waitForBytes(_ most: Int) async -> [UInt8]? {
    guard await waitForBytes(), !Task.isCancelled else { return nil }
    return bytes(most)
  }

  /// Waits for bytes, and takes up to `most`; nil at the end, or if the task is cancelled and there are none.
  package func next(_ most: Int) async -> [UInt8]? {
    guard await waitForBytes() else { return nil }
    return state.change { state in
      let bytes = Array(state.bytes[state.taken...].prefix(most))
      state.remove(bytes.count)
      return bytes
    }
  }

  /// Waits until there is the end, or so many bytes that a condition is met, or the task is cancelled.
  ///
  /// The condition is asked again whenever bytes are added or taken.
  package func waitForCount(_ isEnough: (Int) -> Bool) async {
    await state.wait { isEnough($0.count) || $0.isEnded }
  }

  /// Waits until all bytes are taken, or the task is cancelled.
  package func waitUntilEmpty() async { await state.wait { $0.count == 0 } }

  /// Waits until something is added or taken, or the task is cancelled.
  package func waitForChange() async { await state.waitForChange() }
}
