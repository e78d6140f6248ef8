// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// Shows the devices that `listen` hears as a table on the terminal, and leaves the last one there.
final class ListenTable: OutputSink {
  let name = "the table"
  /// Five pictures a second are enough.
  let interval = Duration.milliseconds(200)
  let batchCost = 1 << 20
  let showsAges = true
  let sightings: DeviceSightings? = DeviceSightings { _ in true }

  private let console: Console
  private let screen: LiveView
  private let pages: ListenPages
  /// Nil without a keyboard.
  private let keys: LiveKeys?
  private let clock: () -> ListenBoard.Instant
  private var board: ListenBoard
  private var view = ListenView()
  /// The picture during a pause, while the board goes on.
  private var frozen: (board: ListenBoard, now: ListenBoard.Instant)?
  /// The time until which the board knows who was heard.
  private var heardUntil: ListenBoard.Instant?
  private var hasDrawn = false

  /// `devices` have a row even before they are heard.
  init(
    expecting devices: [DeviceArgument], on console: Console, keys: LiveKeys?,
    clock: @escaping () -> ListenBoard.Instant = { LoopClock.now }
  ) {
    (self.console, self.keys, self.clock) = (console, keys, clock)
    board = ListenBoard(expecting: devices)
    screen = LiveView(console)
    pages = ListenPages(style: console.output.style, term: Console.environment("TERM"))
  }

  func write(_ events: [StreamEvent]) throws(OutputError) {
    let now = clock()
    for event in events { board.take(event, at: now) }
    try draw()
  }

  func refresh() throws(OutputError) {
    takeKeys()
    // Before listening begins, the terminal has what is waited for.
    if hasDrawn { try draw() }
  }

  /// The last table stays, below the earlier output.
  func close() throws(OutputError) {
    guard hasDrawn else { return }
    hear()
    do throws(ConsoleError) {
      try screen.close()
      let rows = board.ranked()
      guard rows.contains(where: { $0.heard != nil || $0.isAbsent }) else { return }
      try console.write(lines: pages.table(rows, at: clock(), columns: console.output.size?.columns))
    } catch {
      throw .final(error)
    }
  }

  /// Learns who was heard since the last time, also without new values.
  private func hear() {
    let heard = sightings?.heard(since: heardUntil) ?? []
    for (device, last) in heard { board.hear(device, at: last) }
    heardUntil = heard.map(\.last).max() ?? heardUntil
    board.expire(at: clock())
  }

  private func takeKeys() {
    for key in keys?.take() ?? [] {
      if view.press(key, rows: rows.map(\.id)) { keys?.finish() }
      if !view.isPaused {
        frozen = nil
      } else if frozen == nil {
        frozen = (board, clock())
      }
    }
  }

  /// The devices that pass the filter, in order.
  private var rows: [ListenBoard.Row] {
    let rows = frozen?.board.ranked() ?? board.ranked()
    guard let pattern = view.filter.pattern else { return rows }
    return rows.filter { $0.name.flatMap(pattern.rank(of:)) != nil }
  }

  private func draw() throws(OutputError) {
    hasDrawn = true
    takeKeys()
    hear()
    let note = console.newestHeldNote
    do throws(ConsoleError) {
      try screen.draw { lines(size: $0, note: note) }
    } catch {
      throw .final(error)
    }
  }

  private func lines(size: TerminalSize, note: String?) -> [String] {
    let shown = frozen?.board ?? board
    let scene = ListenPages.Scene(
      reception: shown.reception, droppedCount: board.droppedCount, count: shown.count,
      now: frozen?.now ?? clock(), note: note, hasKeys: keys != nil && TerminalRestorer.canReadKeys)
    switch view.page {
    case .list: return pages.list(rows, scene, &view, size: size)
    case .device(let id): return pages.device(shown.row(id), scene, &view, size: size)
    }
  }
}
