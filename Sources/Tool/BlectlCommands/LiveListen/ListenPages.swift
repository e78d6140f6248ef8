// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// The table of `listen` and the page of a device, as lines of a terminal.
struct ListenPages: Sendable {
  /// The facts that a picture shows beside the rows.
  struct Scene: Sendable {
    var reception = ListenBoard.Reception.listening
    var droppedCount = 0
    /// The number of devices without the filter.
    var count: Int
    var now: ListenBoard.Instant
    /// The newest message for the person, which would be hidden otherwise.
    var note: String?
    /// True if keys are read.
    var hasKeys = true
  }

  private let style: Style
  private let arrows: String

  init(style: Style, term: String?) {
    self.style = style
    arrows = KeyHints.arrows(term: term)
  }

  // MARK: The table

  /// The table that stays at the end.
  func table(_ rows: [ListenBoard.Row], at now: ListenBoard.Instant, columns: Int?) -> [String] {
    lines(rows[...], marks: [], of: rows, at: now, columns: columns)
  }

  /// The devices, a line that counts those that do not fit, a message, the state, and the keys.
  func list(
    _ rows: [ListenBoard.Row], _ scene: Scene, _ view: inout ListenView, size: TerminalSize
  ) -> [String] {
    let ids = rows.map(\.id)
    let footer = footer(rows, scene, view, columns: size.columns)
    let window = view.cursor.window(of: ids, room: max(1, size.rows - 1 - footer.count))
    let selection = scene.hasKeys ? view.cursor.selection(in: ids) : nil
    let marks = scene.hasKeys ? window.map { $0 == selection ? "> " : "  " } : []
    var lines = lines(rows[window], marks: marks, of: rows, at: scene.now, columns: size.columns)
    if window.count < rows.count {
      let rest = rows.count - window.upperBound
      lines.append(rest == 0 ? "" : DisplayWidth.truncated("… and \(rest) more", to: size.columns))
    }
    return lines + footer
  }

  private func lines(
    _ shown: ArraySlice<ListenBoard.Row>, marks: [String], of rows: [ListenBoard.Row],
    at now: ListenBoard.Instant, columns: Int?
  ) -> [String] {
    // By all rows, so that columns do not come and go while the table is scrolled.
    let hasState = rows.contains { !$0.state.isEmpty }
    let shared = shared(rows)
    let marks = marks.isEmpty ? Array(repeating: "", count: shown.count) : marks
    // Of the values, the first ones are enough; the devices and what is wrong with them are not to be guessed.
    let room = columns ?? 80
    let mark = marks.first?.count ?? 0
    var layout: [TableLayout.Column] = [
      .init(
        title: String(repeating: " ", count: mark) + "DEVICE", isFlexible: true,
        leastWidth: mark + min(17, max(10, room / 4)))
    ]
    if hasState { layout.append(.init(title: "STATE", isFlexible: true, leastWidth: max(7, room / 5))) }
    layout += [
      .init(title: "AGE", isNumeric: true), .init(title: "RSSI", isNumeric: true, isDispensable: true),
      .init(title: "VALUES", isFlexible: true, leastWidth: max(10, hasState ? room / 4 : room / 2)),
      .init(title: "TYPE", isDispensable: true), .init(title: "ADDRESS", isDispensable: true),
    ]
    let cells = shown.enumerated().map { index, row -> [TableLayout.Cell] in
      let title = row.title(among: shared)
      var cells: [TableLayout.Cell] = [
        .init(marks[index] + title.beginning, end: title.end, style: row.style ?? .bold)
      ]
      if hasState { cells.append(.init(list: row.state, style: row.style)) }
      return cells + [
        .init(row.heard.map { DurationText.age(now - $0) } ?? "", style: .dim),
        .init(row.rssi.map(String.init) ?? "", style: .dim), .init(list: row.values),
        .init(list: row.types, style: .dim),
        .init(row.name == nil ? "" : row.address.map { "\($0)" } ?? "", style: .dim),
      ]
    }
    return TableLayout(columns: layout).lines(rows: cells, width: columns, style: style)
  }

  /// The names that several devices have.
  private func shared(_ rows: [ListenBoard.Row]) -> Set<String> {
    Set(Dictionary(rows.map { ($0.title, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }.keys)
  }

  // MARK: The last lines

  /// More lines of a note would leave too little of the table.
  private static let mostNoteLines = 4

  private func footer(
    _ rows: [ListenBoard.Row], _ scene: Scene, _ view: ListenView, columns: Int
  ) -> [String] {
    let keys = scene.hasKeys ? [listKeys(view, columns: columns)] : []
    return note(scene, columns) + [state(rows, scene, view, columns: columns)] + keys
  }

  private func note(_ scene: Scene, _ columns: Int) -> [String] {
    guard let note = scene.note else { return [] }
    let lines = TextWrap.lines(note, width: columns, hanging: 2)
    let rest = lines.dropFirst(Self.mostNoteLines - 1).joined(separator: " ")
    let shown =
      lines.prefix(Self.mostNoteLines - 1) + (rest.isEmpty ? [] : [DisplayWidth.truncated(rest, to: columns)])
    return shown.map { style.apply(.yellow, to: $0) }
  }

  private func state(
    _ rows: [ListenBoard.Row], _ scene: Scene, _ view: ListenView, columns: Int
  ) -> String {
    let all = counted(scene.count, "device")
    let found = view.filter.pattern == nil ? all : "\(rows.count) of \(all)"
    let activity =
      switch scene.reception {
      case .listening: "listening"
      case .interrupted(let reason, let since):
        "not listening for \(DurationText.age(scene.now - since))" + (reason.map { ": \($0)" } ?? "")
      case .troubled(let text): text
      }
    var parts = ["\(view.isPaused ? "paused" : TerminalSafe.sentence(activity)), \(found)"]
    let shared = shared(rows)
    parts += [
      names("ALARM", of: rows.filter { !$0.alarms.isEmpty }, among: shared),
      names("absent", of: rows.filter(\.isAbsent), among: shared),
    ]
    .compactMap(\.self)
    if scene.droppedCount > 0 { parts.append("\(scene.droppedCount) values were dropped (--buffer)") }
    if let filter = view.filter.note { parts.append(filter) }
    let text = DisplayWidth.truncated(
      parts.joined(separator: "; ") + (scene.hasKeys ? "" : "; Ctrl-C ends"), to: columns)
    if rows.contains(where: { !$0.alarms.isEmpty }) { return style.apply(.red, to: text) }
    return scene.reception == .listening ? text : style.apply(.yellow, to: text)
  }

  /// The devices in a state, as they may be out of sight.
  private func names(_ word: String, of rows: [ListenBoard.Row], among shared: Set<String>) -> String? {
    if rows.isEmpty { return nil }
    let names = rows.map { row in
      let title = row.title(among: shared)
      return title.beginning + title.end
    }
    return "\(word): " + TerminalSafe.escaped(names.joined(separator: ", "))
  }

  private func listKeys(_ view: ListenView, columns: Int) -> String {
    if view.filter.isTyping { return view.filter.line(columns: columns) }
    return KeyHints([
      .init("q", "end", weight: 4), .init(arrows, "select", weight: 0),
      .init("Enter", "all values", weight: 2),
      .init("/", "filter", weight: 3), pause(view),
    ]).line(columns: columns)
  }

  private func pause(_ view: ListenView) -> KeyHints.Hint {
    .init("p", view.isPaused ? "resume" : "pause", weight: 1)
  }

  // MARK: A device

  /// All values of a device, with the names that conditions have for them.
  func device(
    _ row: ListenBoard.Row?, _ scene: Scene, _ view: inout ListenView, size: TerminalSize
  ) -> [String] {
    let lines =
      row.map { FactLines.lines(facts(of: $0, at: scene.now), width: size.columns, style: style) } ?? [
        "not heard any more"
      ]
    let note = note(scene, size.columns)
    let window = view.cursor.window(ofLines: lines.count, room: size.rows - 1 - note.count)
    let keys = KeyHints([
      .init("Esc", "back", weight: 3), .init("q", "end", weight: 2), .init(arrows, "scroll", weight: 0),
      pause(view),
    ])
    return Array(lines[window]) + note + [keys.line(columns: size.columns)]
  }

  private func facts(
    of row: ListenBoard.Row, at now: ListenBoard.Instant
  ) -> [(name: String, value: String)] {
    var facts: [(String, String)] = []
    if let name = row.name { facts.append(("name", name)) }
    if let address = row.address { facts.append(("address", "\(address)")) }
    facts.append(("heard", row.heard.map { "\(DurationText.age(now - $0)) ago" } ?? "not yet"))
    for state in row.state where row.heard != nil { facts.append(("state", state)) }
    for reading in row.readings {
      facts.append((reading.source, "at \(reading.time.local)"))
      if let bytes = reading.bytes { facts.append(("value", Hex.string(bytes))) }
      for var field in reading.fields where field.isShown {
        field.label = ""
        facts.append((field.key, field.text))
      }
      for problem in reading.problems { facts.append(("problem", problem)) }
    }
    return facts
  }
}

extension ListenBoard.Row {
  /// Its alarms and its absence, in words; empty if nothing is to be said.
  ///
  /// The row names the device: a condition does without it.
  var state: [String] {
    let presence = isAbsent ? ["absent"] : heard == nil ? ["not heard yet"] : []
    return alarms.map { "ALARM \(AlarmArgument.condition(in: $0))" } + presence
  }

  /// The title, and the end of it that tells it from others: that of the address, if no name does.
  fileprivate func title(among shared: Set<String>) -> (beginning: String, end: String) {
    guard let address else { return (title, "") }
    let end = "\(address)".suffix(5)
    if name == nil { return (String(title.dropLast(end.count + 1)), ":\(end)") }
    return shared.contains(title) ? (title, " (\(end))") : (title, "")
  }

  fileprivate var style: TextStyle? {
    if !alarms.isEmpty { return .red }
    return isAbsent ? .yellow : heard == nil ? .dim : nil
  }
}
