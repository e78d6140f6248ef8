// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("AsyncSemaphore", .timeLimit(.minutes(1)))
struct AsyncSemaphoreTests {
  private let loop = EventLoop.shared

  /// Takes a permit on the loop's thread, without a deadline.
  private func take(_ semaphore: AsyncSemaphore) -> Task<AsyncSemaphore.Outcome, Never> {
    Task(executorPreference: loop) { await semaphore.take(until: nil, on: loop) }
  }

  @Test("A permit that was taken at once delays the tasks that wait until it is released, too")
  func overdrawn() async {
    let semaphore = AsyncSemaphore(1)
    #expect(semaphore.takeIfAvailable())
    semaphore.takeAtOnce()
    #expect(!semaphore.takeIfAvailable())
    let waiting = take(semaphore)
    semaphore.release()
    #expect(!semaphore.takeIfAvailable())
    semaphore.release()
    #expect(await waiting.value == .taken)
    semaphore.release()
    #expect(semaphore.takeIfAvailable())
  }

  @Test("A wait ends at its deadline or with its task, and leaves the permit to the next one")
  func ends() async {
    let semaphore = AsyncSemaphore(1)
    #expect(await take(semaphore).value == .taken)
    let late = Task(executorPreference: loop) { await semaphore.take(until: LoopClock.now, on: loop) }
    #expect(await late.value == .timedOut)
    let cancelled = take(semaphore)
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    semaphore.release()
    #expect(await take(semaphore).value == .taken)
  }
}
