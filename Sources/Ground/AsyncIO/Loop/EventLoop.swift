// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc
internal import Synchronization

/// A poll(2) loop that serves Swift jobs, file descriptors and timers on one thread.
///
/// An actor with ``actorExecutor`` as its executor runs on the thread that also reads the bus. The connection
/// therefore needs no lock, and a reply wakes no other thread. As a `TaskExecutor`, the loop keeps the tasks
/// of a command-line tool on the main thread.
///
/// A loop lives as long as the process: executors must outlive every job, and a process has two or three. It is Sendable
/// because the inbox is locked, and everything else is set before the first use or checked to be used on the thread.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  private struct Job {
    let job: UnownedJob
    /// True if the job belongs to an actor.
    let isIsolated: Bool
  }

  private struct Inbox {
    var jobs: [Job] = []
    var actions: [@Sendable () -> Void] = []
    var isAsleep = false
    var isEmpty: Bool { jobs.isEmpty && actions.isEmpty }

    /// Returns whether the sleeping loop must be woken for a new job; true at most once per sleep.
    mutating func wakes() -> Bool {
      let asleep = isAsleep
      isAsleep = false
      return asleep
    }
  }

  /// The shared loop of the process, on its own thread, for callers without a loop.
  package static let shared = EventLoop(name: "blectl-bus")

  private let inbox = Lock(Inbox())
  private let wakeDescriptor: Int32
  private let thread: Atomic<pthread_t>
  var sources = SourceTable()
  var timers = TimerTable()
  private var endOfTurn: [() -> Void] = []
  /// The number of turns that have served only descriptors since a timer became due.
  private var turnsWithDueTimers = 0
  /// Made with the loop, before another thread can ask for it.
  private lazy var actors = ActorExecutor(of: self)

  package init(name: String) {
    wakeDescriptor = casyncio_eventfd()
    thread = Atomic(0)  // no thread yet
    _ = actors
    NativeThread.start { [unowned self] in
      thread.store(pthread_self(), ordering: .relaxed)
      casyncio_name_thread(name)
      run()
    }
  }

  /// Creates a loop for the calling thread, which must then call ``run()``.
  package init(onCurrentThread: Void) {
    wakeDescriptor = casyncio_eventfd()
    thread = Atomic(pthread_self())
    _ = actors
  }

  @usableFromInline package var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

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

  /// Runs `action` on the loop's thread, after the jobs that are already queued.
  package func submit(_ action: @escaping @Sendable () -> Void) {
    wake(
      if: inbox.withLock { inbox in
        inbox.actions.append(action)
        return inbox.wakes()
      })
  }

  /// Runs `action` at the end of the loop's turn, before it sleeps, for work that is cheaper in batches.
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

  package var actorExecutor: UnownedSerialExecutor { actors.asUnownedSerialExecutor() }

  /// Traps if the calling code runs on another thread.
  @usableFromInline package func checkIsolated() {
    precondition(isCurrent, "called off the event loop's thread")
  }

  // MARK: The loop

  /// The number of rounds of newly queued jobs before the next poll.
  ///
  /// A chain of jobs costs one poll.
  private static let roundsBetweenPolls = 16

  /// Serves jobs, descriptors and timers forever.
  package func run() -> Never {
    var work = Inbox()
    endTurn()
    while true {
      var isIdle = false
      for _ in 0..<EventLoop.roundsBetweenPolls where !isIdle { isIdle = !runQueued(&work) }
      waitForEvents(blocking: isIdle)
    }
  }

  /// Runs the queued jobs, with reused arrays; returns false, and is asleep from now on, if there were none.
  private func runQueued(_ work: inout Inbox) -> Bool {
    let isEmpty = inbox.withLock { inbox in
      swap(&inbox.jobs, &work.jobs)
      swap(&inbox.actions, &work.actions)
      inbox.isAsleep = work.isEmpty
      return inbox.isAsleep
    }
    if isEmpty { return false }
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

  /// The number of turns that may serve descriptors before timers that are due.
  private static let turnsBeforeTimers = 64
  /// If a timer is this late, the process was stopped, or starved of processor time.
  private static let stallTime = Duration.milliseconds(500)
  /// The time in milliseconds that other programs, such as the bus, may then take to pass on what they hold.
  private static let settlingTime: Int32 = 20

  /// Polls once: blocks if `blocking`, otherwise returns at once.
  ///
  /// A timer often means that something has not arrived. Therefore it runs only if it was due before a poll that
  /// found nothing: everything that had arrived by then has been handled.
  private func waitForEvents(blocking: Bool) {
    sources.refresh(waking: wakeDescriptor)
    let start = timers.isEmpty ? nil : LoopClock.now
    let lateness = start.flatMap { start in timers.next.map { start - $0 } } ?? .seconds(-1)
    let (isDue, isStalled) = (lateness >= .zero, lateness >= EventLoop.stallTime)
    let observer = blocking && !isDue ? LoopClock.observer : nil
    observer?.willSleep(self, until: timers.next, watching: sources.pollSet)
    let timeout =
      if !blocking { Int32(0) } else if isDue { isStalled ? EventLoop.settlingTime : 0 } else {
        timers.millisecondsToNext()
      }
    let count = sources.poll(timeout: timeout)
    observer?.didWake(self)
    inbox.withLock { $0.isAsleep = false }
    if count > 0 {
      if sources.isWakeReady { casyncio_eventfd_drain(wakeDescriptor) }
      for (id, events) in sources.ready() { sources.handler(of: id)?(events) }
    }
    turnsWithDueTimers = isDue ? turnsWithDueTimers + 1 : 0
    let isQuiet = count == 0 && (blocking || !isStalled)
    if let start, isDue, isQuiet || turnsWithDueTimers >= EventLoop.turnsBeforeTimers {
      turnsWithDueTimers = 0
      for id in timers.due(at: start) { timers.take(id)?() }
    }
    endTurn()
  }
}

/// Runs the jobs of actors on a loop's thread.
///
/// The loop itself is the executor of tasks that prefer it. Such a task is not isolated to an actor, and
/// continues at once when one nonisolated function calls another. If one object were both executors, the
/// runtime would mistake the task for an actor's and queue it again at each such call.
final class ActorExecutor: SerialExecutor {
  /// The owner, which lives as long as this object.
  private unowned let loop: EventLoop

  init(of loop: EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), isIsolated: true) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { loop.checkIsolated() }

  func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
