// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

/// A command on a pseudo-terminal, started again when it has ended, each time on a terminal of its own.
final class CommandPort: SerialPort {
  /// The interval at which a terminal that the command has closed is tried again.
  ///
  /// `login` closes its own terminal and opens it again.
  private static let pause = Duration.milliseconds(100)

  /// One run of the command.
  private struct Run {
    let terminal: PseudoTerminal
    let start = LoopClock.now
    let hasEnded = Lock(false)
    /// Waits for the end of the command; its cancellation hangs up.
    let ending: Task<Void, Never>

    init(_ command: [String], patience: Duration, on loop: EventLoop) throws(CommandError) {
      let (terminal, hasEnded) = (try PseudoTerminal(link: nil, on: loop), hasEnded)
      terminal.becomeInteractive()
      let child = try ChildCommand(
        command, environment: ["TERM": "xterm"], group: .session(terminal: terminal.path))
      self.terminal = terminal
      ending = Task(executorPreference: loop) {
        _ = try? await child.wait(on: loop, limit: patience, endingWith: .hangUp)
        hasEnded.exchange(true)
        terminal.endReading()
      }
    }
  }

  private let command: [String]
  /// The minimum run time of a command.
  ///
  /// After a shorter run, the next one waits.
  private let restTime: Duration
  /// The time limit for the command to end after the hang-up before it is killed, and for leaving its last
  /// input unread.
  private let patience: Duration
  private let loop: EventLoop
  private let current = Watched<Run?>(nil)

  init(
    _ command: [String], restTime: Duration = .seconds(1), patience: Duration = .seconds(1),
    on loop: EventLoop
  ) {
    (self.command, self.restTime, self.patience, self.loop) = (command, restTime, patience, loop)
  }

  var endTime: Duration? { current.withLock { $0 } == nil ? .zero : patience }
  var unreadCount: Int { current.withLock { $0 }?.terminal.unreadCount ?? 0 }

  /// Reads what the command writes, to the last byte, and then from the next one.
  ///
  /// - Throws: ``CommandError`` if the command cannot be started.
  func read(_ most: Int) async throws -> [UInt8]? {
    while !Task.isCancelled {
      guard let run = current.withLock({ $0 }) else {
        let run = try Run(command, patience: patience, on: loop)
        current.change { $0 = run }
        continue
      }
      if let bytes = await run.terminal.read(most) { return bytes }
      if Task.isCancelled { break }
      guard run.hasEnded.withLock({ $0 }) else {
        try await loop.sleep(for: Self.pause)
        continue
      }
      current.change { $0 = nil }
      run.terminal.end()
      let rest = restTime - (LoopClock.now - run.start)
      if rest > .zero { try await loop.sleep(for: rest) }
    }
    return nil
  }

  /// Writes to the command, or to the next one.
  func write(_ bytes: ArraySlice<UInt8>) async throws -> Int {
    while await current.wait(until: { $0 != nil }), let run = current.withLock({ $0 }) {
      do throws(ConsoleError) {
        return try await run.terminal.write(bytes)
      } catch .closed {
        // The command has closed its terminal, or ended.
        try await loop.sleep(for: Self.pause)
      }
    }
    throw ConsoleError.interrupted
  }

  /// Hangs up: the command, and through a shell its jobs, get SIGHUP.
  func end() {
    guard let run = current.withLock({ $0 }) else { return }
    run.terminal.end()
    run.ending.cancel()
  }

  /// Waits, after the hang-up, until the command has ended or was killed.
  func waitUntilEnded() async { await current.withLock { $0 }?.ending.value }
}
