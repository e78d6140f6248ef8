// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// The pages of a live scan as lines of a terminal.
struct ScanPages: Sendable {
  struct List {
    /// The devices that pass the filter, in order.
    let rows: [ScanBoard.Entry]
    /// The number of devices without the filter.
    let count: Int
    /// The second of the scan.
    let second: Int
    /// True if keys are read.
    let hasKeys: Bool
  }

  private let style: Style
  private let pathLoss: PathLoss
  private let picture: SignalPicture
  private let arrows: String
  private let decoder: AdvertisementDecoder

  init(style: Style, pathLoss: PathLoss, term: String?, decoder: AdvertisementDecoder) {
    self.decoder = decoder
    self.style = style
    self.pathLoss = pathLoss
    picture = SignalPicture(term: term)
    arrows = KeyHints.arrows(term: term)
  }

  // MARK: The list

  /// The table that stays at the end.
  func table(_ entries: [ScanBoard.Entry], columns: Int?) -> [String] {
    let (layout, rows) = ScanTable.table(entries, at: nil, picture, pathLoss, decoder)
    return layout.lines(rows: rows, width: columns, style: style)
  }

  /// The devices, a line that counts those that do not fit, and the keys.
  func list(_ list: List, _ view: inout ScanView, size: TerminalSize) -> [String] {
    let ids = list.rows.map(\.id)
    // The header, the state and the keys have one line each.
    let window = view.cursor.window(of: ids, room: max(1, size.rows - (list.hasKeys ? 3 : 2)))
    let selection = list.hasKeys ? view.cursor.selection(in: ids) : nil
    let marks = window.map { place in
      list.hasKeys
        ? ScanTable.Mark(isSelected: place == selection, isMarked: view.marked.contains(ids[place])) : nil
    }
    let (layout, rows) = ScanTable.table(
      Array(list.rows[window]), marks: marks, at: list.second, picture, pathLoss, decoder)
    var lines = layout.lines(rows: rows, width: size.columns, style: style)
    if window.count < list.rows.count {
      let text = below(list.rows.count - window.upperBound, view.order)
      lines.append(DisplayWidth.truncated(text, to: size.columns))
    }
    let state = state(list, view) + (list.hasKeys ? "" : "; Ctrl-C ends")
    lines.append(DisplayWidth.truncated(state, to: size.columns))
    if list.hasKeys { lines.append(listKeys(view, columns: size.columns)) }
    return lines
  }

  private func below(_ count: Int, _ order: ScanOrder) -> String {
    if count == 0 { return "" }
    return "… and \(count) more" + (order == .signal ? ", weaker, or not seen recently" : "")
  }

  private func state(_ list: List, _ view: ScanView) -> String {
    let all = counted(list.count, "device")
    let found = view.filter.pattern == nil ? all : "\(list.rows.count) of \(all)"
    let parts = ["\(view.isPaused ? "paused" : "scanning"), \(found)", view.order.text, view.filter.note]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  private func listKeys(_ view: ScanView, columns: Int) -> String {
    if view.filter.isTyping { return view.filter.line(columns: columns) }
    return KeyHints([
      .init("q", "end", weight: 6), .init(arrows, "select", weight: 0), .init("Enter", "show", weight: 1),
      .init("s", "sort", weight: 5), .init("/", "filter", weight: 3), pause(view),
      .init("y", "mark", weight: 4),
    ]).line(columns: columns)
  }

  private func pause(_ view: ScanView) -> KeyHints.Hint {
    .init("p", view.isPaused ? "resume" : "pause", weight: 2)
  }

  // MARK: A device

  /// The output of `info`.
  func device(_ entry: ScanBoard.Entry?, _ view: inout ScanView, size: TerminalSize) -> [String] {
    var facts =
      entry.map { DeviceFacts.lines($0.info, decoder, width: size.columns, style: style) } ?? [
        "not heard any more"
      ]
    if let entry, entry.hosts.best != nil { facts += hosts(entry, size) }
    return page(
      facts, [.init("Esc", "back", weight: 4), .init("Enter", "services", weight: 6)], entry, &view,
      size: size)
  }

  /// Returns the reception of the device by each host, as lines.
  private func hosts(_ entry: ScanBoard.Entry, _ size: TerminalSize) -> [String] {
    let heard = entry.hosts.sightings.sorted { $0.key < $1.key }.map { host, sighting in
      host + (sighting.rssi.map { " \($0) dBm" } ?? "")
    }
    return wrapped([style.apply(.bold, to: "heard by") + "  " + heard.joined(separator: ", ")], size)
  }

  /// The output of `services`, or the progress until then.
  func services(
    _ outcome: ServicesView.Outcome?, of entry: ScanBoard.Entry?, _ view: inout ScanView, size: TerminalSize
  ) -> [String] {
    let info = entry?.info
    var hints: [KeyHints.Hint] = [.init("Esc", "back", weight: 4)]
    let lines: [String]
    switch outcome {
    case .connecting(let start):
      let name = TerminalSafe.escaped(info?.name ?? info?.address.description ?? "the device")
      let seconds = (LoopClock.now - start).components.seconds
      lines = wrapped(["connecting to \(name)\(seconds > 0 ? " \(seconds) s" : "")"], size)
    case .found(let info, let services):
      let tree = TreeRecord(info: info, services: services, values: TreeValues())
      lines = TreeText.lines(tree, width: size.columns, style: style)
    case .failed(let error):
      lines = wrapped(ErrorReport.lines(error, verbosity: 0), size)
      hints.append(.init("Enter", "again", weight: 6))
    case nil: lines = []
    }
    return page(lines, hints, entry, &view, size: size)
  }

  private func wrapped(_ lines: [String], _ size: TerminalSize) -> [String] {
    lines.flatMap { TextWrap.lines($0, width: size.columns, hanging: 2) }
  }

  private func page(
    _ lines: [String], _ hints: [KeyHints.Hint], _ entry: ScanBoard.Entry?, _ view: inout ScanView,
    size: TerminalSize
  ) -> [String] {
    let isMarked = entry.map { view.marked.contains($0.id) } ?? false
    let window = view.cursor.window(ofLines: lines.count, room: size.rows - 1)
    let keys = KeyHints(
      hints + [
        .init("q", "end", weight: 3), .init(arrows, "scroll", weight: 0),
        .init("y", isMarked ? "unmark" : "mark", weight: 5), pause(view),
      ])
    return Array(lines[window]) + [keys.line(columns: size.columns)]
  }
}
