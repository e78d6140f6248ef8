// SPDX-License-Identifier: MIT
package import AsyncIO
internal import CPlatform
internal import Dispatch
package import Glibc

/// Skips the time in which nothing happens, for the whole process.
///
/// Time passes as always while anything works: a task of Swift's pool, an event loop, a message bus that one of them is
/// connected to, the thread of a ``ScriptedBus``, a program that a test has started (``hold(_:)``). When all of them wait,
/// the next timer is what happens next, so its time has come. Two seconds of BlueZ's then take no time, however busy the
/// machine is.
///
/// It is for tests of the library beside a simulated bluetoothd. The timers of both run in this process, their messages pass
/// through a bus in another one: an injected clock would not know that a message comes before the next timer. This takes
/// the place of the global executor, by a hook of the Swift runtime. What has no bus is tested with an injected clock.
package final class VirtualTime: LoopObserver {
  private struct Sleep {
    /// Nil for a thread that is no loop.
    let loop: EventLoop?
    let deadline: ContinuousClock.Instant?
    let descriptors: [pollfd]
  }

  private struct State {
    var sleeping: [ObjectIdentifier: Sleep] = [:]
    var awake: Set<ObjectIdentifier> = []
    var jobs = 0
    var holds = 0
    /// Counts what happens, to see that nothing did between two looks.
    var events = 0

    var isIdle: Bool { awake.isEmpty && jobs == 0 && holds == 0 && !sleeping.isEmpty }
  }

  private let state = Lock(State())
  /// Signalled when everything has come to rest.
  private let rest = DispatchSemaphore(value: 0)

  /// The one of the process; nil until ``begin()``.
  package static var current: VirtualTime? { installed.withLock { $0 } }
  private static let installed = Lock<VirtualTime?>(nil)

  private init() {}

  /// Lets the process go by virtual time from now on.
  package static func begin() {
    let (time, isNew) = installed.withLock { installed in
      if let installed { return (installed, false) }
      let time = VirtualTime()
      installed = time
      return (time, true)
    }
    guard isNew else { return }
    LoopClock.observe(by: time)
    CountedPool.install { time.jobsChanged(by: $0) }
    Thread.detach { time.skipForEver() }
  }

  /// Lets time pass as always while `body` runs: it waits for something that happens outside of the process.
  package static func hold<Result, Failure: Error>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let time = current
    time?.holdsChanged(by: 1)
    defer { time?.holdsChanged(by: -1) }
    return try await body()
  }

  /// The same for what begins in one place and ends in another.
  package func holdsChanged(by count: Int) { change { $0.holds += count } }

  private func jobsChanged(by count: Int) { change { $0.jobs += count } }

  // MARK: Loops

  package func willSleep(
    _ loop: EventLoop, until deadline: ContinuousClock.Instant?, watching descriptors: [pollfd]
  ) {
    sleeps(loop, Sleep(loop: loop, deadline: deadline, descriptors: descriptors))
  }

  package func didWake(_ loop: EventLoop) { wakes(loop) }

  private func sleeps(_ sleeper: AnyObject, _ sleep: Sleep) {
    change { state in
      state.awake.remove(ObjectIdentifier(sleeper))
      state.sleeping[ObjectIdentifier(sleeper)] = sleep
    }
  }

  private func wakes(_ sleeper: AnyObject) {
    change { state in
      state.sleeping[ObjectIdentifier(sleeper)] = nil
      state.awake.insert(ObjectIdentifier(sleeper))
    }
  }

  package func workElsewhere(changedBy count: Int) { holdsChanged(by: count) }

  // MARK: Threads

  /// A thread works for the loops, known by an object of its own.
  package func threadWorks(_ thread: AnyObject) { wakes(thread) }

  /// A thread waits until `descriptor` is readable.
  package func threadWaits(_ thread: AnyObject, for descriptor: Int32) {
    let descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    sleeps(thread, Sleep(loop: nil, deadline: nil, descriptors: descriptors))
  }

  /// A thread has ended.
  package func threadEnded(_ thread: AnyObject) {
    change { state in
      state.sleeping[ObjectIdentifier(thread)] = nil
      state.awake.remove(ObjectIdentifier(thread))
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let isIdle = state.withLock { state in
      state.events += 1
      body(&state)
      return state.isIdle
    }
    if isIdle { rest.signal() }
  }

  // MARK: Skipping

  private func skipForEver() -> Never {
    while true {
      rest.wait()
      while let (events, sleeps) = state.withLock({ $0.isIdle ? ($0.events, Array($0.sleeping.values)) : nil }
      ) {
        guard let next = sleeps.compactMap(\.deadline).min() else { break }
        if Quiescence.holds(for: sleeps.map(\.descriptors)), state.withLock({ $0.events == events }) {
          skip(to: next, sleeps)
          break
        }
        sched_yield()
      }
    }
  }

  private func skip(to deadline: ContinuousClock.Instant, _ sleeps: [Sleep]) {
    let duration = deadline - LoopClock.now
    if duration > .zero { LoopClock.skip(duration) }
    for sleep in sleeps where sleep.deadline.map({ $0 <= LoopClock.now }) ?? false { sleep.loop?.submit {} }
  }
}

/// Runs the jobs of Swift's global pool on threads of its own, and counts them: the only way to see that no task is running.
final class CountedPool: TaskExecutor, @unchecked Sendable {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  private static let installed = Lock<CountedPool?>(nil)

  private let countChanged: @Sendable (Int) -> Void
  private let waiting = Lock<[UnownedJob]>([])
  private let available = DispatchSemaphore(value: 0)

  private init(_ countChanged: @escaping @Sendable (Int) -> Void) {
    self.countChanged = countChanged
    for _ in 0..<max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
      Thread.detach { [self] in
        while true { runNext() }
      }
    }
  }

  /// Takes the place of the global pool, for the rest of the process.
  ///
  /// - Parameter countChanged: called with 1 for each job that is queued, and with -1 when it has run.
  static func install(_ countChanged: @escaping @Sendable (Int) -> Void) {
    installed.withLock { $0 = CountedPool(countChanged) }
    guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else {
      preconditionFailure("the Swift runtime has no hook for its global executor")
    }
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
      CountedPool.installed.withLock { $0 }?.queue(job)
    }
  }

  func enqueue(_ job: consuming ExecutorJob) { queue(UnownedJob(job)) }

  private func queue(_ job: UnownedJob) {
    countChanged(1)
    waiting.withLock { $0.append(job) }
    available.signal()
  }

  private func runNext() {
    available.wait()
    let job = waiting.withLock { $0.removeFirst() }
    job.runSynchronously(on: asUnownedTaskExecutor())
    countChanged(-1)
  }
}

/// Whether anything can still happen by itself to event loops that sleep.
enum Quiescence {
  /// Whether nothing has arrived for the loops, and the processes at the other end of their sockets have read all that
  /// was sent to them and sleep: a message bus that has nothing left to pass on.
  static func holds(for pollSets: [[pollfd]]) -> Bool {
    let descriptors = pollSets.joined().map(\.fd)
    let buses = Dictionary(grouping: descriptors) { process(behind: $0) ?? 0 }.filter { $0.key != 0 }
    for (process, descriptors) in buses {
      guard descriptors.allSatisfy({ casyncio_unread_count($0) <= 0 }), isAsleep(process) else {
        return false
      }
    }
    return pollSets.allSatisfy { pollSet in
      var pollSet = pollSet
      return poll(&pollSet, nfds_t(pollSet.count), 0) == 0
    }
  }

  /// The other process that a socket leads to.
  private static func process(behind descriptor: Int32) -> pid_t? {
    // struct ucred, which Glibc for Swift does not have: process, user, group.
    var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return credentials.process > 0 && credentials.process != getpid() ? credentials.process : nil
  }

  /// Whether the only thread of a process waits.
  private static func isAsleep(_ process: pid_t) -> Bool {
    guard let file = fopen("/proc/\(process)/stat", "re") else { return true }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = fread(&buffer, 1, buffer.count, file)
    // The name, in parentheses, may contain anything; the state is the letter behind it.
    guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return true }
    return [UInt8(ascii: "S"), UInt8(ascii: "Z")].contains(buffer[end + 2])
  }
}
