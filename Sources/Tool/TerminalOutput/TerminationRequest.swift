// SPDX-License-Identifier: MIT
internal import Glibc
internal import Synchronization

/// A signal's request to end the process, for reads and writes that block the loop's thread.
package enum TerminationRequest {
  private static let mainThread = pthread_self()
  private static let count = Atomic(0)
  private static let firstNumber = Atomic<Int32>(0)
  /// The time of the first request, in milliseconds of the monotonic clock.
  private static let firstTime = Atomic(0)

  /// The time, in milliseconds, that a write may still block after the first request.
  ///
  /// A second request ends it.
  private static let grace = 1000

  /// Initializes everything that the handler uses; call on the main thread before signals are caught.
  package static func prepare() { _ = (waitLimit, signal, mainThread, firstTime.load(ordering: .relaxed)) }

  /// Records a request; safe to call in a signal handler.
  package static func note(_ number: Int32) {
    if firstNumber.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged {
      firstTime.store(now, ordering: .relaxed)
    }
    count.add(1, ordering: .releasing)
  }

  /// Forgets all requests: the signal ended something else, such as a command of the shell.
  package static func withdraw() {
    firstNumber.store(0, ordering: .relaxed)
    count.store(0, ordering: .releasing)
  }

  package static var signal: Int32? {
    let number = firstNumber.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// For how many milliseconds the main thread may still block in a write; nil is unlimited: without a
  /// request, and on other threads, which signals do not interrupt.
  package static var waitLimit: Int? {
    let count = count.load(ordering: .acquiring)
    if count == 0 || pthread_equal(pthread_self(), mainThread) == 0 { return nil }
    return count > 1 ? 0 : max(0, firstTime.load(ordering: .relaxed) + grace - now)
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
