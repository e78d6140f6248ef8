// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc
internal import Synchronization
internal import TerminalOutput

/// Handles signals as events of the loop.
///
/// - SIGINT, SIGTERM and SIGHUP: the first one asks the command to end, the second one ends the process. They
///   also interrupt a write that blocks the loop's thread: see ``TerminationRequest``.
/// - SIGHUP, sent when the terminal is closed or the ssh connection is lost, stays ignored if it was ignored
///   at the start, as under `nohup`.
/// - SIGWINCH reports a new terminal size.
/// - SIGTSTP (Ctrl-Z) restores the terminal before it stops the process, and SIGCONT takes it again.
/// - SIGQUIT (Ctrl-\) restores the terminal before it ends the process.
/// - SIGCHLD is reset to its default: if a parent left it ignored, the kernel would discard the status of
///   children.
/// - SIGPIPE is ignored: the write to a closed pipe fails, and the signal is raised after cleaning up.
package final class Signals: Sendable {
  /// The handler writes to it, and the loop reads the other end; set once, before any signal is caught.
  private static let pipeEnd = Atomic<Int32>(-1)

  private let onResize = Lock<(@Sendable () -> Void)?>(nil)
  private let onInterrupt = Lock<(@Sendable () -> Bool)?>(nil)
  private let lastAction = Lock<(@Sendable () -> Void)?>(nil)
  private let state = Lock<(hasArrived: Bool, action: (@Sendable () -> Void)?)>((false, nil))

  /// The signal that requested the end of the command.
  package var received: Int32? { TerminationRequest.signal }

  /// Starts catching the signals; call once, on the loop's thread.
  package init(on loop: EventLoop) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    Signals.pipeEnd.store(ends[1], ordering: .relaxed)
    let readEnd = ends[0]
    _ = loop.watch(readEnd, for: .readable) { [weak self] _ in
      var number: UInt8 = 0
      while read(readEnd, &number, 1) == 1 { self?.arrived(Int32(number)) }
    }
    TerminationRequest.prepare()
    for number in [SIGINT, SIGTERM, SIGWINCH, SIGCONT] { Signals.catchSignal(number) }
    // Without job control, SIGTSTP is ignored.
    for number in [SIGHUP, SIGTSTP, SIGQUIT] where !Signals.isIgnored(number) { Signals.catchSignal(number) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // Swift's runtime has its own handler for SIGQUIT.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func requestsTermination(_ number: Int32) -> Bool {
    number == SIGINT || number == SIGTERM || number == SIGHUP
  }

  private static func catchSignal(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      let saved = errno
      if Signals.requestsTermination(number) { TerminationRequest.note(number) }
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Signals.pipeEnd.load(ordering: .relaxed), &byte, 1)
      errno = saved
    }
    action.sa_flags = requestsTermination(number) ? 0 : SA_RESTART
    // The second one ends the process even if the loop hangs.
    if number == SIGQUIT { action.sa_flags |= Int32(bitPattern: UInt32(SA_RESETHAND)) }
    sigaction(number, &action, nil)
  }

  package func onFirst(_ action: @escaping @Sendable () -> Void) {
    let (isLate, _) = state.withLock { state in
      let former = state.action
      state.action = action
      return (state.hasArrived, former)
    }
    if isLate { action() }
  }

  /// Sets the action that runs at once when a second signal ends the process.
  package func onSecond(_ action: @escaping @Sendable () -> Void) { lastAction.exchange(action) }

  package func onResize(_ action: @escaping @Sendable () -> Void) { onResize.exchange(action) }

  /// Sets an action that returns whether it used a SIGINT for something other than the end of the process.
  package func onInterrupt(_ action: @escaping @Sendable () -> Bool) { onInterrupt.exchange(action) }

  private func arrived(_ number: Int32) {
    if number == SIGINT, let action = onInterrupt.withLock({ $0 }), action() {
      return TerminationRequest.withdraw()
    }
    if number == SIGQUIT { Signals.end(by: number) }
    if number == SIGTSTP { Signals.stop() }
    if number == SIGCONT { TerminalRestorer.claim() }
    if number == SIGWINCH || number == SIGTSTP || number == SIGCONT {
      onResize.withLock { $0 }?()
      return
    }
    let (isFirst, action) = state.withLock { state in
      defer { state.hasArrived = true }
      return (!state.hasArrived, state.action)
    }
    if isFirst {
      action?()
    } else {
      RunningChildren.killAll()
      lastAction.withLock { $0 }?()
      Signals.end(by: number)
    }
  }

  /// Stops the process as the signal would have, until it is continued.
  private static func stop() {
    TerminalRestorer.restore()
    RunningChildren.signalGroups(SIGSTOP)
    signal(SIGTSTP, SIG_DFL)
    kill(getpid(), SIGTSTP)
    catchSignal(SIGTSTP)
    RunningChildren.signalGroups(SIGCONT)
    TerminalRestorer.claim()
  }

  /// Ends the process as the signal would have: the shell sees 129, 130, 143 or 141.
  package static func end(by number: Int32) -> Never {
    TerminalRestorer.restore()
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
    exit(128 + number)
  }
}
