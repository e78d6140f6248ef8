// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

/// The state of a live scan's display, and its reactions to keys.
final class ScanDisplay: Sendable {
  private struct State {
    var board = ScanBoard()
    var view = ScanView()
    /// The display while the view pauses.
    var frozen: (board: ScanBoard, second: Int)?
    var hasChanged = true
    /// The last second of the scan that was drawn; each new second shifts the histories.
    var drawnSecond = 0
    var hasTakenKeys = false

    var shownBoard: ScanBoard { frozen?.board ?? board }

    /// The devices that pass the filter, in order.
    func rows(at second: Int) -> [ScanBoard.Entry] {
      let entries = shownBoard.ranked(at: frozen?.second ?? second, by: view.order)
      guard let pattern = view.filter.pattern else { return entries }
      return entries.filter { $0.info.name.flatMap(pattern.rank(of:)) != nil }
    }
  }

  private let context: CommandContext
  private let pages: ScanPages
  private let screen: LiveView
  private let state = Lock(State())
  private let visit: ServicesView
  private let start = LoopClock.now

  /// The contexts of the hosts, if several listen.
  private let hosts: [String: CommandContext]

  init(_ context: CommandContext, hosts: [String: CommandContext] = [:], pathLoss: PathLoss) {
    self.context = context
    self.hosts = hosts
    pages = ScanPages(
      style: context.console.output.style, pathLoss: pathLoss, term: Console.environment("TERM"),
      decoder: context.decoder)
    screen = LiveView(context.console)
    let state = state
    visit = ServicesView(on: context.loop) { state.withLock { $0.hasChanged = true } }
    // A shell shows many tables, one after the other.
    context.terminal.onResize { [weak state] in
      state?.withLock { $0.hasChanged = true }
      return state != nil
    }
  }

  private var second: Int { Int((LoopClock.now - start).components.seconds) }

  var count: Int { state.withLock { $0.board.count } }

  /// True if the person works with the view.
  var hasTakenKeys: Bool { state.withLock { $0.hasTakenKeys } }

  /// Adds an event from a host (nil if only one listens); returns the number of devices heard so far.
  func note(_ event: ScanEvent, from host: String? = nil) -> Int {
    let second = second
    return state.withLock { state in
      if event.kind == .lost {
        state.board.lose(event.info, from: host)
      } else {
        state.board.add(event.info, from: host, second: second)
        state.hasChanged = true
      }
      return state.board.count
    }
  }

  /// Handles keys; returns whether one of them ends the scan.
  func press(_ keys: [Key]) -> Bool {
    for key in keys where press(key) { return true }
    // The effect of a key shows at once.
    try? draw()
    return false
  }

  private func press(_ key: Key) -> Bool {
    let second = second
    let (action, device) = state.withLock { state -> (ScanView.Action?, ScanBoard.Entry?) in
      let rows = state.rows(at: second)
      let action = state.view.press(key, rows: rows.map(\.id))
      if !state.view.isPaused {
        state.frozen = nil
      } else if state.frozen == nil {
        state.frozen = (state.board, second)
      }
      (state.hasChanged, state.hasTakenKeys) = (true, true)
      guard case .connect(let id) = action else { return (action, nil) }
      return (action, state.board.entry(id))
    }
    switch action {
    case .end: return true
    case .connect:
      if let device { visit.begin(device.info, in: device.hosts.best.flatMap { hosts[$0] } ?? context) }
    case .release: visit.leave()
    case nil: break
    }
    return false
  }

  /// Queries the shown device, which does not advertise while connected.
  func refresh() async {
    let entry = state.withLock { state -> ScanBoard.Entry? in
      guard case .device(let id) = state.view.page else { return nil }
      return state.board.entry(id)
    }
    guard let entry, let info = try? await entry.info.peripheral.info else { return }
    state.withLock { if $0.board.update(entry.id, info) { $0.hasChanged = true } }
  }

  /// Draws the view if anything changed; throws if the terminal is gone.
  func draw() throws(ConsoleError) {
    // This thread also reads the bus, so it must not wait for a terminal.
    guard screen.isReady else { return }
    let second = second
    let isNew = state.withLock { state in
      defer { (state.hasChanged, state.drawnSecond) = (false, second) }
      return state.hasChanged || state.drawnSecond != second
    }
    if isNew { try screen.draw { lines(size: $0, second: second) } }
  }

  private func lines(size: TerminalSize, second: Int) -> [String] {
    let hasKeys = TerminalRestorer.canReadKeys
    let outcome = visit.outcome
    return state.withLock { state in
      let shown = state.frozen?.second ?? second
      switch state.view.page {
      case .list:
        let list = ScanPages.List(
          rows: state.rows(at: second), count: state.shownBoard.count, second: shown, hasKeys: hasKeys)
        return pages.list(list, &state.view, size: size)
      case .device(let id): return pages.device(state.shownBoard.entry(id), &state.view, size: size)
      case .services(let id):
        return pages.services(outcome, of: state.shownBoard.entry(id), &state.view, size: size)
      }
    }
  }

  /// Closes the view; leaves the table of all devices, unless it is empty, and the marked addresses.
  func close() async throws(ConsoleError) {
    let result: Result<Void, ConsoleError>
    do {
      try screen.close()
      try leaveTable()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await visit.finish()
    try result.get()
  }

  private func leaveTable() throws(ConsoleError) {
    let (board, view) = state.withLock { ($0.board, $0.view) }
    if board.count == 0 { return }
    let entries = board.ranked(at: nil, by: view.order)
    let marked = view.marked.compactMap { board.entry($0)?.info.address.description }
    try context.console.write(
      lines: pages.table(entries, columns: context.console.output.size?.columns) + marked)
  }
}
