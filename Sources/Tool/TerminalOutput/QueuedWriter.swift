// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Writes to a descriptor without waiting for its reader: a thread writes the bytes that are not taken at
/// once, up to a limit in memory; further lines are left out, and counted.
final class QueuedWriter: Sendable {
  /// The capacity in bytes.
  private static let capacity = 256 * 1024

  private struct State {
    var waiting: [UInt8] = []
    /// True if the thread runs, so that new bytes must wait for earlier ones.
    var isWriting = false
    /// The number of lines that did not fit.
    var omittedCount = 0
    /// The error that prevents further writing.
    var failure: ConsoleError?
  }

  private let writer: DescriptorWriter
  private let capacity: Int
  private let state = Lock(State())
  /// Posted when the thread ends; a semaphore is made for several threads.
  private nonisolated(unsafe) let ending = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init(_ writer: DescriptorWriter, capacity: Int = QueuedWriter.capacity) {
    self.writer = writer
    self.capacity = capacity
    sem_init(ending, 0, 0)
  }

  deinit {
    sem_destroy(ending)
    ending.deallocate()
  }

  var isReady: Bool { !state.withLock { $0.isWriting } && writer.waitUntilWritable(0) }

  /// Writes a text, now or later; throws if this or an earlier one could not be written.
  func write(_ text: UnsafeRawBufferPointer) throws(ConsoleError) {
    let failure: ConsoleError? = state.withLock { state in
      guard state.failure == nil else { return state.failure }
      var rest = text[...]
      if !state.isWriting {
        do throws(ConsoleError) {
          rest = try writer.writeAtOnce(text)
        } catch {
          state.failure = error
          return error
        }
      }
      keep(rest, &state)
      return nil
    }
    if let failure { throw failure }
  }

  private func keep(_ rest: Slice<UnsafeRawBufferPointer>, _ state: inout State) {
    guard !rest.isEmpty else { return }
    // A partly written text is always completed.
    guard !state.isWriting || state.waiting.count + rest.count <= capacity else {
      state.omittedCount += rest.lazy.filter { $0 == UInt8(ascii: "\n") }.count
      return
    }
    state.waiting.append(contentsOf: rest)
    guard !state.isWriting else { return }
    state.isWriting = true
    WorkerThread.start { [self] in drain() }
  }

  /// Waits until everything is written; after a termination signal, only for the writer's waitLimit.
  func flush() {
    while state.withLock({ $0.isWriting }) {
      let waitLimit = writer.waitLimit()
      if waitLimit == 0 { return }
      var end = timespec()
      clock_gettime(CLOCK_REALTIME, &end)
      let nanoseconds = end.tv_nsec + (waitLimit ?? 1000) % 1000 * 1_000_000
      end.tv_sec += (waitLimit ?? 1000) / 1000 + nanoseconds / 1_000_000_000
      end.tv_nsec = nanoseconds % 1_000_000_000
      // A signal ends the wait, too.
      _ = sem_timedwait(ending, &end)
    }
  }

  // MARK: The thread

  private func drain() {
    while let bytes = next() {
      do throws(ConsoleError) {
        try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
          try writer.writeAll(UnsafeRawBufferPointer(bytes))
        }
      } catch {
        state.withLock { state in
          state.failure = error
          (state.waiting, state.omittedCount) = ([], 0)
        }
      }
    }
    sem_post(ending)
  }

  /// The next bytes; nil ends the thread.
  private func next() -> [UInt8]? {
    state.withLock { state in
      defer { state.waiting = [] }
      guard state.waiting.isEmpty else { return state.waiting }
      if state.omittedCount > 0 {
        defer { state.omittedCount = 0 }
        return Array(
          "blectl: lines that were left out, because they were not read: \(state.omittedCount)\n".utf8)
      }
      state.isWriting = false
      return nil
    }
  }
}
