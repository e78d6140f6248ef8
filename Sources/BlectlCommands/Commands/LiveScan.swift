// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import DBus
internal import TerminalOutput

/// A scan on a terminal that supports a ``LiveView``: redraws a table as devices appear, and leaves it at the end.
struct LiveScan {
  let session: Session
  /// Ends after this many devices.
  let maximum: Int?
  /// The model for estimating distances.
  let pathLoss: PathLoss

  private static let frameTime = Duration.milliseconds(200)

  private struct State {
    var board = ScanBoard()
    var hasChanged = true
    /// The second of the scan that was drawn last; each new second shifts the histories.
    var drawnSecond = 0
  }

  private let picture = SignalPicture(term: Console.environment("TERM"))

  init(session: Session, maximum: Int?, pathLoss: PathLoss) {
    self.session = session
    self.maximum = maximum
    self.pathLoss = pathLoss
  }

  /// - Returns: the number of devices heard.
  func run(_ events: ScanResults, for duration: Duration?) async throws -> Int {
    let state = Lock(State())
    let (session, maximum) = (session, maximum)
    let start = ContinuousClock.now
    let view = LiveView(session.console)
    session.onResize { state.withLock { $0.hasChanged = true } }
    let outcome: Result<Void, any Error>
    do {
      try await session.limited(to: duration) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask(executorPreference: session.loop) {
            for try await event in events {
              if note(event, in: state, second: LiveScan.second(since: start)) >= maximum ?? .max { return }
            }
          }
          // Ends the scan when the terminal is closed.
          group.addTask(executorPreference: session.loop) {
            while true {
              try draw(state, on: view, second: LiveScan.second(since: start))
              try await session.loop.sleep(for: LiveScan.frameTime)
            }
          }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try view.close()
    try leaveTable(state.withLock { $0.board })
    try outcome.get()
    return state.withLock { $0.board.count }
  }

  /// - Returns: the number of devices heard so far.
  private func note(_ event: ScanEvent, in state: Lock<State>, second: Int) -> Int {
    state.withLock { state in
      if event.kind == .lost {
        state.board.lose(event.info.peripheral)
      } else {
        state.board.add(event.info, second: second)
        state.hasChanged = true
      }
      return state.board.count
    }
  }

  private static func second(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start).components.seconds)
  }

  private func table(_ entries: [ScanBoard.Entry], second: Int?, columns: Int?) -> [String] {
    let (layout, rows) = ScanTable.table(entries, at: second, picture, pathLoss)
    return layout.lines(rows: rows, width: columns, style: session.console.output.style)
  }

  private func draw(_ state: Lock<State>, on view: LiveView, second: Int) throws {
    // This thread also reads the bus, so it must not wait for a terminal.
    guard view.isReady else { return }
    let board = state.withLock { state -> ScanBoard? in
      guard state.hasChanged || state.drawnSecond != second else { return nil }
      (state.hasChanged, state.drawnSecond) = (false, second)
      return state.board
    }
    guard let board else { return }
    try view.draw { size in
      let entries = board.ranked(at: second)
      // One line is the header, one the footer, and one more counts the devices that do not fit.
      let room = max(1, size.rows - 2)
      let shown = entries.count <= room ? entries : Array(entries.prefix(max(1, room - 1)))
      var lines = table(shown, second: second, columns: size.columns)
      if shown.count < entries.count {
        let text = "… and \(entries.count - shown.count) more, weaker or not heard of late"
        lines.append(DisplayWidth.truncated(text, to: size.columns))
      }
      let count = board.count
      let text = "scanning, \(count) device\(count == 1 ? "" : "s"); Ctrl-C ends"
      return lines + [DisplayWidth.truncated(text, to: size.columns)]
    }
  }

  /// Prints the whole table, unless it is empty.
  private func leaveTable(_ board: ScanBoard) throws {
    if board.count == 0 { return }
    let columns = session.console.output.size?.columns
    try session.console.write(lines: table(board.ranked(at: nil), second: nil, columns: columns))
  }
}
