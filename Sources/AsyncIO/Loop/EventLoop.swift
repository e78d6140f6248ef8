// SPDX-License-Identifier: MIT
internal import CAsyncIO
internal import Glibc

/// A poll(2) loop that runs Swift's jobs as well as file descriptors and timers, on one thread.
///
/// An actor that names ``actorExecutor`` as its executor is served by the thread that also reads the bus: libdbus is then used
/// from one thread only, without a lock, and a reply reaches its task without a thread being woken. As a
/// `TaskExecutor` it keeps the tasks of a command-line tool on the main thread.
///
/// A loop lives as long as the process: executors must outlive every job, and the two or three of a process cost little.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  private struct Job {
    let job: UnownedJob
    /// Whether it is an actor's.
    let isIsolated: Bool
  }

  private struct Inbox {
    var jobs: [Job] = []
    var actions: [@Sendable () -> Void] = []
    var isAsleep = false
    var isEmpty: Bool { jobs.isEmpty && actions.isEmpty }

    /// Whether the sleeping loop must be woken for what was just queued; at most once a sleep.
    mutating func wakes() -> Bool {
      let asleep = isAsleep
      isAsleep = false
      return asleep
    }
  }

  /// The loop on its own thread that a process shares, when nobody brings one.
  package static let shared = EventLoop(name: "blectl-bus")

  private let inbox = Lock(Inbox())
  private let wakeDescriptor: Int32
  private let thread: Lock<pthread_t>
  /// Touched by the loop's thread only.
  var sources = SourceTable()
  var timers = TimerTable()
  private var endOfTurn: [() -> Void] = []
  private let actors = ActorExecutor()

  /// Starts a loop on a thread of its own.
  package init(name: String) {
    wakeDescriptor = casyncio_eventfd()
    thread = Lock(pthread_self())
    actors.loop = self
    NativeThread.start { [unowned self] in
      thread.withLock { $0 = pthread_self() }
      casyncio_name_thread(name)
      run()
    }
  }

  /// Makes a loop for the calling thread, which must then call ``run()``.
  package init(onCurrentThread: Void) {
    wakeDescriptor = casyncio_eventfd()
    thread = Lock(pthread_self())
    actors.loop = self
  }

  /// Whether the calling code runs on this loop's thread.
  @usableFromInline package var isCurrent: Bool { pthread_equal(pthread_self(), thread.withLock { $0 }) != 0 }

  // MARK: Work from any thread

  /// Runs a job of a task that prefers the loop.
  public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), isIsolated: false) }

  func enqueue(_ job: UnownedJob, isIsolated: Bool) {
    wake(
      if: inbox.withLock { inbox in
        inbox.jobs.append(Job(job: job, isIsolated: isIsolated))
        return inbox.wakes()
      })
  }

  /// Runs `action` on the loop's thread, after what is already queued.
  package func submit(_ action: @escaping @Sendable () -> Void) {
    wake(
      if: inbox.withLock { inbox in
        inbox.actions.append(action)
        return inbox.wakes()
      })
  }

  /// Runs `action` when what is under way on the loop is done, its jobs or its events, and before it sleeps: for what is
  /// cheaper done together.
  ///
  /// Call on the loop's thread.
  @usableFromInline package func atEndOfTurn(_ action: @escaping () -> Void) {
    checkIsolated()
    endOfTurn.append(action)
  }

  private func endTurn() {
    while !endOfTurn.isEmpty {
      let actions = endOfTurn
      endOfTurn.removeAll(keepingCapacity: true)
      for action in actions { action() }
    }
  }

  private func wake(if isAsleep: Bool) {
    if isAsleep { casyncio_eventfd_signal(wakeDescriptor) }
  }

  /// What runs the jobs of actors here.
  package var actorExecutor: UnownedSerialExecutor { actors.asUnownedSerialExecutor() }

  /// Stops the process when the calling code runs on another thread.
  package func checkIsolated() { precondition(isCurrent, "called off the event loop's thread") }

  // MARK: The loop

  /// How often what was queued meanwhile is run before descriptors are looked at: a chain of jobs costs one poll.
  private static let roundsBetweenPolls = 16

  /// Serves jobs, descriptors and timers for ever.
  package func run() -> Never {
    var work = Inbox()
    while true {
      for _ in 0..<EventLoop.roundsBetweenPolls {
        if !runQueued(&work) { break }
      }
      endTurn()
      let idle = inbox.withLock { inbox in
        inbox.isAsleep = inbox.isEmpty
        return inbox.isAsleep
      }
      waitForEvents(blocking: idle)
    }
  }

  /// Runs what is queued.
  ///
  /// - Parameter work: empty, for the memory of its arrays.
  /// - Returns: whether there was anything.
  private func runQueued(_ work: inout Inbox) -> Bool {
    inbox.withLock { inbox in
      swap(&inbox.jobs, &work.jobs)
      swap(&inbox.actions, &work.actions)
    }
    if work.isEmpty { return false }
    let tasks = asUnownedTaskExecutor()
    for job in work.jobs {
      if job.isIsolated {
        job.job.runSynchronously(isolatedTo: actorExecutor, taskExecutor: tasks)
      } else {
        job.job.runSynchronously(on: tasks)
      }
    }
    for action in work.actions { action() }
    work.jobs.removeAll(keepingCapacity: true)
    work.actions.removeAll(keepingCapacity: true)
    endTurn()
    return true
  }

  /// One poll: blocks until something happens when nothing is queued, else only looks.
  private func waitForEvents(blocking: Bool) {
    sources.refresh(waking: wakeDescriptor)
    let observer = blocking ? LoopClock.observer : nil
    observer?.willSleep(self, until: timers.next, watching: sources.pollSet)
    let timeout = blocking ? timers.millisecondsToNext() : 0
    let count = sources.poll(timeout: timeout)
    observer?.didWake(self)
    inbox.withLock { $0.isAsleep = false }
    if count > 0 {
      if sources.isWakeReady { casyncio_eventfd_drain(wakeDescriptor) }
      for (id, events) in sources.ready() { sources.handler(of: id)?(events) }
    }
    for id in timers.due() { timers.take(id)?() }
    endTurn()
  }
}
