// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Restores the terminal when the process ends during a ``LiveView`` or while keys are read (a second Ctrl-C
/// waits for nothing), while Ctrl-Z stops it, and during a question.
package enum TerminalRestorer {
  private struct State {
    var hasView = false
    /// True if the terminal was given back, and not yet taken again.
    var isLent = false
    var isAsking = false
    /// The number of threads that are writing to the view.
    var drawings = 0
    /// The mode of the terminal before it was changed; nil if it was not.
    var original: termios?
    /// The mode that was replaced when the terminal was given back.
    var replaced: termios?
    var readsKeys = false
    /// The mode before keys were read; nil until the mode was changed for them.
    var beforeKeys: termios?
    /// True if the original mode was saved when reading of keys began.
    var ownsOriginal = false
    /// The mode for passing each key on as it is; nil if keys are not passed on.
    var passing: Passing?

    /// True if the shell or a question has the terminal.
    var isForOthers: Bool { isLent || isAsking }
  }

  /// The terminal mode while keys are passed on: whether it returns to the first column by itself.
  private struct Passing {
    var translatesOutput: Bool
  }

  private static let state = Lock(State())

  // MARK: Giving it back and taking it again

  /// Closes the view if the terminal takes that at once, and restores the mode.
  package static func restore() { giveBack { _ in } }

  /// Takes the terminal again after ``restore()``, so that a view must be redrawn.
  ///
  /// A process that was stopped and continues in the background leaves the terminal alone. Cheap: called
  /// before each drawing.
  ///
  /// - Returns: whether a view may be drawn.
  @discardableResult
  package static func claim() -> Bool {
    state.withLock { state in
      if state.isAsking { return false }
      let isInForeground = isInForeground
      if state.isLent {
        guard isInForeground else { return false }
        state.isLent = false
        if state.hasView { send(LiveScreen.entering) }
        if var replaced = state.replaced { tcsetattr(STDIN_FILENO, TCSANOW, &replaced) }
        state.replaced = nil
      }
      if state.readsKeys, isInForeground { readKeys(&state) }
      if let passing = state.passing, isInForeground { pass(passing, &state) }
      return true
    }
  }

  /// Gives the terminal to a question, until ``endQuestion()``.
  package static func beginQuestion() { giveBack { $0.isAsking = true } }

  package static func endQuestion() {
    state.withLock { $0.isAsking = false }
    claim()
  }

  /// Gives the terminal back after a drawing in progress, which would otherwise end up on the shell's screen.
  ///
  /// Does not wait for a terminal that takes nothing because Ctrl-S holds it.
  private static func giveBack(_ body: (inout State) -> Void) {
    while true {
      let isDone = state.withLock { state in
        if !state.isLent, state.drawings > 0, canWrite { return false }
        giveBack(&state)
        body(&state)
        return true
      }
      if isDone { return }
      usleep(500)
    }
  }

  private static func giveBack(_ state: inout State) {
    if state.isLent { return }
    if state.hasView { send(LiveScreen.leaving) }
    // In the background, the mode is that of the shell, and changing it would stop the process.
    if var original = state.original, isInForeground {
      state.replaced = currentMode
      tcsetattr(STDIN_FILENO, TCSANOW, &original)
    }
    state.isLent = state.hasView || state.original != nil
  }

  // MARK: The view

  /// True if a drawing would now overwrite others.
  static var isLent: Bool { state.withLock { $0.isForOthers } }

  /// Writes to the view, unless others have the terminal; it is not given back meanwhile.
  static func draw<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let mayDraw = state.withLock { state in
      if state.isForOthers { return false }
      state.drawings += 1
      return true
    }
    guard mayDraw else { return }
    defer { state.withLock { $0.drawings -= 1 } }
    try body()
  }

  static func viewOpened() { state.withLock { $0.hasView = true } }

  static func viewClosed() {
    state.withLock { state in
      state.hasView = false
      if state.original == nil { state.isLent = false }
    }
  }

  // MARK: The mode

  /// Saves the mode of the terminal on standard input, until ``releaseMode()``.
  package static func keepMode() { state.withLock { $0.original = currentMode } }

  /// Restores the mode that was saved.
  package static func releaseMode() {
    state.withLock { state in
      if var original = state.original, isInForeground { tcsetattr(STDIN_FILENO, TCSANOW, &original) }
      state.original = nil
      state.replaced = nil
    }
  }

  /// Passes each key on as it is, also Ctrl-C and Ctrl-Z, until ``endPassing()``; `translatesOutput` leaves it to the
  /// terminal to return to the first column with each line.
  ///
  /// In the background, the terminal is left alone until ``claim()`` is called in the foreground.
  package static func passKeys(translatesOutput: Bool) {
    state.withLock { $0.passing = Passing(translatesOutput: translatesOutput) }
    claim()
  }

  /// Restores the mode before ``passKeys(translatesOutput:)``.
  package static func endPassing() {
    state.withLock { $0.passing = nil }
    releaseMode()
  }

  /// Sets the mode for passing keys if necessary: a shell sets its own while the process is stopped.
  private static func pass(_ passing: Passing, _ state: inout State) {
    guard var mode = currentMode else { return }
    if state.original == nil { state.original = mode }
    let flags = tcflag_t(ICANON | ECHO | ISIG)
    if mode.c_lflag & flags == 0, mode.c_cc.6 == 1 { return }
    mode.c_iflag &= ~tcflag_t(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON)
    mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    if !passing.translatesOutput { mode.c_oflag &= ~tcflag_t(OPOST) }
    (mode.c_cc.5, mode.c_cc.6) = (0, 1)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Hides typing, while nothing reads it.
  package static func hideTyping() {
    guard var mode = currentMode else { return }
    mode.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Starts reading single keys without echo, until ``endKeys()``; Ctrl-C and Ctrl-Z remain signals.
  static func beginKeys() {
    state.withLock { $0.readsKeys = true }
    claim()
  }

  static func endKeys() {
    state.withLock { state in
      state.readsKeys = false
      guard var mode = state.beforeKeys else { return }
      state.beforeKeys = nil
      if state.isLent {
        state.replaced = mode
      } else if isInForeground {
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
      }
      guard state.ownsOriginal else { return }
      state.ownsOriginal = false
      (state.original, state.replaced) = (nil, nil)
      if !state.hasView { state.isLent = false }
    }
  }

  /// True if single keys can be read now: the terminal has that mode, and the process is in the foreground.
  package static var canReadKeys: Bool {
    state.withLock { $0.readsKeys && $0.beforeKeys != nil && !$0.isLent && !$0.isAsking && isInForeground }
  }

  /// Sets the mode for reading keys if necessary: a shell sets its own while the process is stopped.
  private static func readKeys(_ state: inout State) {
    guard var mode = currentMode else { return }
    if state.beforeKeys == nil {
      state.beforeKeys = mode
      if state.original == nil { (state.original, state.ownsOriginal) = (mode, true) }
    }
    let minimum = mode.c_cc.6
    if mode.c_lflag & keyFlags == 0, minimum == 0 { return }
    mode.c_lflag &= ~keyFlags
    // Makes read(2) return at once.
    (mode.c_cc.5, mode.c_cc.6) = (0, 0)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  private static let keyFlags = tcflag_t(ICANON | ECHO | IEXTEN)

  private static var currentMode: termios? {
    var mode = termios()
    return tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
  }

  /// True if the process may read from the terminal and change its mode without being stopped; only the
  /// controlling terminal stops processes.
  package static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group <= 0 || group == getpgrp()
  }

  private static var canWrite: Bool {
    var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  private static func send(_ sequence: String) {
    guard canWrite else { return }
    _ = sequence.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}
