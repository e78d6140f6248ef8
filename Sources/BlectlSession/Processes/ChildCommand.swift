// SPDX-License-Identifier: MIT
package import AsyncIO
package import BlectlArguments
internal import CSpawn
internal import Glibc

/// A child process with our standard streams, or its own input, and additional environment variables.
package struct ChildCommand: Sendable {
  package enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  private let process: pid_t
  private let leadsGroup: Bool
  /// The target of signals, as in kill(2).
  private var target: pid_t { leadsGroup ? -process : process }

  /// Starts a command with `environment` added to ours, and our input if `input` is nil.
  ///
  /// Signals to the leader of a process group also reach its children, but it cannot read from the terminal. With the
  /// path of another `terminal`, the command leads a session on it.
  package init(
    _ arguments: [String], environment: [String: String], input: Int32? = nil, leadsGroup: Bool = false,
    terminal: String? = nil
  ) throws(CommandError) {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables = ChildCommand.variables(environment).map { strdup($0) } + [nil]
    defer { for pointer in pointers + variables { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    if let terminal {
      // The first terminal that the leader of a session opens is that of the session.
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
      for output in [STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, output)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // We ignore SIGPIPE; the child must not inherit that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    let leader = terminal != nil ? ChildCommand.newSession : leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | leader))
    var process = pid_t()
    let status = posix_spawnp(&process, arguments[0], &actions, &attributes, &pointers, &variables)
    guard status == 0 else {
      throw CommandError(
        status: .failed, message: "cannot run \(arguments[0]): \(String(cString: strerror(status)))")
    }
    self.process = process
    self.leadsGroup = leadsGroup || terminal != nil
    RunningChildren.add(target)
  }

  /// POSIX_SPAWN_SETSID, which Swift's Glibc module lacks.
  private static let newSession: Int32 = 0x80

  private static func variables(_ changes: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if changes[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
      entry += 1
    }
    return variables + changes.map { "\($0.key)=\($0.value)" }
  }

  // MARK: Termination

  /// Waits for its end; cancellation sends SIGTERM, and SIGKILL after `limit` (nil never sends it).
  package func wait(on loop: EventLoop, limit: Duration? = nil) async throws -> Ending {
    let request = Lock<Request?>(nil)
    // The loop keeps running, so a second signal is handled however long the command takes to end.
    await withTaskCancellationHandler {
      await ProcessEnd.wait(for: process, on: loop)
    } onCancel: {
      RunningChildren.signal(target, SIGTERM)
      request.withLock { $0 = Request(target, limit: limit, loop) }
    }
    let ending = reap()
    let requested = request.withLock(\.self)
    requested?.killing?.cancel()
    if leadsGroup {
      if let deadline = requested?.deadline {
        // This task is cancelled and cannot sleep.
        await Task(executorPreference: loop) { await endGroup(by: deadline, on: loop) }.value
      }
      RunningChildren.remove(target)
    }
    if requested != nil { throw CancellationError() }
    return ending
  }

  private struct Request {
    let deadline: ContinuousClock.Instant?
    let killing: RemoteTimer?

    init(_ target: pid_t, limit: Duration?, _ loop: EventLoop) {
      deadline = limit.map { LoopClock.now + $0 }
      killing = deadline.map { RemoteTimer(loop, at: $0) { RunningChildren.signal(target, SIGKILL) } }
    }
  }

  /// Collects its status; the kernel may then reuse its process ID.
  private func reap() -> Ending {
    var status: Int32 = 0
    if !leadsGroup { RunningChildren.remove(target) }
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
  }

  /// Waits until its children, which also got SIGTERM, have ended; kills the rest at the deadline.
  private func endGroup(by deadline: ContinuousClock.Instant, on loop: EventLoop) async {
    var pause = Duration.milliseconds(1)
    while kill(target, 0) == 0, LoopClock.now < deadline {
      try? await loop.sleep(for: pause)
      pause *= 2
    }
    kill(target, SIGKILL)
  }
}

enum ProcessEnd {
  /// Waits until a child ends, without reaping it; `watch` returns a descriptor readable then, or -`errno`.
  static func wait(
    for process: pid_t, on loop: EventLoop, watch: @escaping @Sendable (pid_t) -> Int32 = cspawn_watch
  ) async {
    let end = Promise<Void>()
    loop.submit {
      let descriptor = watch(process)
      // Linux before 5.3, or no free descriptor.
      guard descriptor >= 0 else { return block(until: process, then: end) }
      var source: SourceID?
      source = loop.watch(descriptor, for: .readable) { _ in
        if let source { loop.unwatch(source) }
        close(descriptor)
        end.fulfil(())
      }
    }
    await end.value
  }

  private static func block(until process: pid_t, then end: Promise<Void>) {
    WorkerThread.start {
      var information = siginfo_t()
      while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      end.fulfil(())
    }
  }
}

/// The running children; no others are signalled: the process ID of a reaped child may be reused.
enum RunningChildren {
  /// Process IDs, or negated group IDs, as in kill(2).
  private static let targets = Lock<Set<pid_t>>([])

  static func add(_ target: pid_t) { targets.withLock { _ = $0.insert(target) } }

  static func remove(_ target: pid_t) { targets.withLock { _ = $0.remove(target) } }

  /// Sends a signal to a child if it is still running.
  static func signal(_ target: pid_t, _ number: Int32) {
    targets.withLock { if $0.contains(target) { kill(target, number) } }
  }

  static func killAll() { targets.withLock { for target in $0 { kill(target, SIGKILL) } } }

  /// Sends a signal to the groups, which the terminal does not include in its own signals.
  static func signalGroups(_ number: Int32) {
    targets.withLock { for target in $0 where target < 0 { kill(target, number) } }
  }
}
