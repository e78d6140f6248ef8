// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// SIGINT, SIGTERM and SIGHUP as events of the loop: the first asks the command to end, the second ends the process.
///
/// SIGHUP comes when the terminal is closed or the ssh connection is lost. One that was ignored when the process began
/// stays ignored: `nohup` asks for that.
///
/// SIGWINCH is one too: the terminal has another size. Before SIGTSTP (Ctrl-Z) stops the process, the terminal is given
/// back.
///
/// A write that blocks the loop's thread is interrupted by the first three: see ``EndRequest``.
///
/// SIGCHLD gets its default back. Where it is ignored, the kernel forgets how a child ended, and some programs that start
/// others leave it so.
///
/// SIGPIPE is ignored: a closed pipe is noticed where it is written to, cleaned up after, and raised at the end.
final class Signals: Sendable {
  /// Written to by the handler, which may do little else; read on the loop.
  ///
  /// Set once, before any signal is caught.
  nonisolated(unsafe) private static var pipeEnd: Int32 = -1

  private let onResize = Lock<(@Sendable () -> Void)?>(nil)
  private let state = Lock<(hasArrived: Bool, action: (@Sendable () -> Void)?)>((false, nil))

  /// The signal that asked the command to end.
  var received: Int32? { EndRequest.signal }

  /// Catches the signals from now on.
  ///
  /// Call on the loop's thread, once.
  init(on loop: EventLoop) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    Signals.pipeEnd = ends[1]
    let readEnd = ends[0]
    _ = loop.watch(readEnd, for: .readable) { [weak self] _ in
      var number: UInt8 = 0
      while read(readEnd, &number, 1) == 1 { self?.arrived(Int32(number)) }
    }
    EndRequest.prepare()
    for number in [SIGINT, SIGTERM, SIGWINCH] { Signals.catchSignal(number) }
    // SIGTSTP is ignored where there is no job control.
    for number in [SIGHUP, SIGTSTP] where !Signals.isIgnored(number) { Signals.catchSignal(number) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.__sigaction_handler.sa_handler != nil
  }

  private static func asksForTheEnd(_ number: Int32) -> Bool {
    number == SIGINT || number == SIGTERM || number == SIGHUP
  }

  private static func catchSignal(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      let saved = errno
      if Signals.asksForTheEnd(number) { EndRequest.note(number) }
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Signals.pipeEnd, &byte, 1)
      errno = saved
    }
    action.sa_flags = asksForTheEnd(number) ? 0 : SA_RESTART
    sigaction(number, &action, nil)
  }

  /// What the first signal does.
  func onFirst(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.action = action
      return state.hasArrived
    }
    if isLate { action() }
  }

  /// What another size of the terminal does.
  func onResize(_ action: @escaping @Sendable () -> Void) { onResize.withLock { $0 = action } }

  private func arrived(_ number: Int32) {
    if number == SIGTSTP { Signals.stop() }
    if number == SIGWINCH || number == SIGTSTP {
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
      Signals.end(by: number)
    }
  }

  /// Stops the process the way the signal would have, until somebody continues it.
  private static func stop() {
    TerminalRestorer.restore()
    RunningChildren.signalGroups(SIGSTOP)
    signal(SIGTSTP, SIG_DFL)
    kill(getpid(), SIGTSTP)
    catchSignal(SIGTSTP)
    RunningChildren.signalGroups(SIGCONT)
    TerminalRestorer.undo()
  }

  /// Ends the process the way the signal would have: the shell sees 129, 130, 143 or 141.
  static func end(by number: Int32) -> Never {
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
