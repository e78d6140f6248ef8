// SPDX-License-Identifier: MIT
import AsyncIO
import BLECentral
import BlectlArguments
import TestSupport
import Testing
import ValueStreams

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("The view of listen")
struct ListenViewTests {
  private var view = ListenView()
  private let rows = ["a", "b", "c"]

  private mutating func press(_ keys: Key...) -> Bool {
    var ends = false
    for key in keys { ends = view.press(key, rows: rows) || ends }
    return ends
  }

  @Test("Enter shows all values of the selected device, Esc goes back to it; q ends on both pages")
  mutating func pages() {
    #expect(press(.down, .enter) == false)
    #expect(view.page == .device("b"))
    #expect(press(.character("j"), .character("/"), .enter) == false)
    #expect(view.page == .device("b") && !view.filter.isTyping)
    #expect(press(.character("q")) == true)
    #expect(press(.escape) == false)
    #expect(view.page == .list && view.cursor.selection(in: ["b", "c"]) == 0)
    #expect(press(.character("q")) == true)
    #expect(view.press(.enter, rows: []) == false)
    #expect(view.page == .list)
  }

  @Test("While a filter is typed, q and p are letters of it")
  mutating func filter() {
    #expect(press(.character("/"), .character("q"), .character("p")) == false)
    #expect(view.filter.text == "qp" && !view.isPaused)
    #expect(press(.enter, .character("p")) == false)
    #expect(view.isPaused && view.filter.text == "qp")
    #expect(press(.escape, .character("p")) == false)
    #expect(!view.isPaused && view.filter == NameFilter())
  }
}

@Suite("The pages of listen")
struct ListenPagesTests {
  private let pages = ListenPages(style: .plain, term: nil)
  private let start = ListenSample.start
  private var board = ListenBoard()
  private var view = ListenView()
  private let climate: [(key: String, value: Int, unit: String)] = [
    ("temperature_celsius", 20, "°C"), ("humidity_percent", 50, "%"), ("pressure_hpa", 1013, "hPa"),
    ("battery_percent", 90, "%"),
  ]

  private var scene: ListenPages.Scene { .init(count: board.count, now: start + .seconds(75)) }

  private mutating func hear(_ number: UInt8, _ name: String?) {
    board.take(ListenSample.values(number, name, climate, type: 0x2a6e), at: start)
  }

  private mutating func list(_ columns: Int, _ rows: Int = 24, _ scene: ListenPages.Scene? = nil) -> [String]
  {
    pages.list(board.ranked(), scene ?? self.scene, &view, size: TerminalSize(columns: columns, rows: rows))
  }

  @Test("A row has the device, its age, the strength and the values, as many as fit whole")
  mutating func row() {
    hear(1, "Garden")
    let wide = list(130)
    #expect(wide[0] == "  DEVICE  AGE  RSSI  VALUES" + String(repeating: " ", count: 27) + "TYPE  ADDRESS")
    #expect(wide[1] == "> Garden   1m   -60  01, 20 °C, 50 %, 1013 hPa, 90 %  2a6e  C0:00:00:00:00:01")
    let narrow = list(40)
    #expect(narrow[0] == "  DEVICE  AGE  VALUES")
    #expect(narrow[1] == "> Garden   1m  01, 20 °C, 50 %, …")
  }

  @Test("No line is wider than the terminal, whatever is in it", arguments: [40, 57, 80, 130, 200])
  mutating func widths(columns: Int) {
    hear(1, "漢字漢字漢字漢字漢字漢字漢字漢字漢字")
    hear(2, "Evil\u{1b}[2J")
    hear(3, nil)
    board.take(ListenSample.alarm(.alarm, 1, "temperature_celsius > 10 and humidity_percent > 40"), at: start)
    board.take(ListenSample.absence(.absent, 2), at: start)
    var scene = scene
    scene.note =
      "blectl: the broker is away, and this is a long note about it that may not fit into a narrow terminal"
    scene.reception = .interrupted(reason: "the adapter\nis off", since: start)
    let lines = list(columns, 24, scene)
    for line in lines {
      #expect(DisplayWidth.of(line) <= columns && !line.contains("\n") && !line.contains("\u{1b}[2J"))
    }
    #expect(lines[0].contains("STATE"))
    #expect(lines.suffix(2).first?.hasPrefix("not listening for 1m: the ") == true)
    let note = lines.dropLast(2).drop { !$0.hasPrefix("blectl: the broker is away") }
    #expect(note.last?.hasSuffix("terminal") == true)
  }

  @Test("Devices of the same name are told apart by their addresses")
  mutating func twins() {
    hear(1, "Tag")
    hear(2, "Tag")
    hear(3, "Other")
    let lines = list(60)
    #expect(lines[1].hasPrefix("> Other  "))
    #expect(lines[2].hasPrefix("  Tag (00:01)  ") && lines[3].hasPrefix("  Tag (00:02)  "))
  }

  @Test("In a narrow table, the end of an address stays, and the last line names devices as the rows do")
  mutating func narrow() {
    hear(1, "Freezer in the cellar")
    hear(2, "Freezer in the cellar")
    hear(3, nil)
    for number: UInt8 in 1...2 { board.take(ListenSample.absence(.absent, number), at: start) }
    let lines = list(40)
    #expect(lines[1].contains("… (00:01)") && lines[2].contains("… (00:02)") && lines[3].contains("…:00:03"))
    let state = "absent: Freezer in the cellar (00:01), Freezer in the cellar (00:02)"
    #expect(list(120).suffix(2).first?.contains(state) == true)
  }

  @Test("Values make room for the names of devices")
  mutating func names() {
    hear(1, "Freezer")
    hear(2, "Freezer")
    hear(3, nil)
    board.take(ListenSample.alarm(.alarm, 1, "temperature_celsius > -15 until < -18 for 5m"), at: start)
    let lines = list(100)
    #expect(lines[1].hasPrefix("> Freezer (00:01)") && lines[3].hasPrefix("  C0:00:00:00:00:03"))
  }

  @Test("A note that is too long for a few lines is cut at the end of the last one")
  mutating func longNote() {
    hear(1, "Garden")
    var scene = scene
    scene.note = String(repeating: "a long note ", count: 30)
    let lines = list(40, 24, scene)
    #expect(lines.count == 2 + 4 + 2)
    #expect(lines[5].hasSuffix("…") && lines.allSatisfy { DisplayWidth.of($0) <= 40 })
  }

  @Test(
    "More devices than rows: the selected one is in sight, the others are counted, and the last lines stay")
  mutating func crowd() {
    for number in 0..<50 { hear(UInt8(number), "Tag \(number)") }
    board.take(ListenSample.alarm(.alarm, 49, "a > 1"), at: start)
    var lines = list(80, 10)
    #expect(lines.count == 10)
    #expect(lines[1].hasPrefix("> Tag 0 ") && lines[7] == "… and 44 more")
    // The one with the alarm is out of sight.
    #expect(lines[8] == "listening, 50 devices; ALARM: Tag 49")
    #expect(lines[9].hasPrefix("q end"))
    #expect(view.press(.end, rows: board.ranked().map(\.id)) == false)
    lines = list(80, 10)
    #expect(lines[6].hasPrefix("> Tag 49 ") && lines[7].isEmpty)
    #expect(list(80, 1).count >= 1)
  }

  @Test("The state says what is not as it should be, and without keys how it ends")
  mutating func state() {
    hear(1, "Garden")
    var scene = scene
    scene.hasKeys = false
    #expect(list(80, 24, scene).last == "listening, 1 device; Ctrl-C ends")
    scene.reception = .interrupted(reason: nil, since: start)
    scene.droppedCount = 5
    #expect(
      list(120, 24, scene).last
        == "not listening for 1m, 1 device; 5 values were dropped (--buffer); Ctrl-C ends")
    scene.reception = .troubled("reset: nothing is heard")
    #expect(list(120, 24, scene).last?.hasPrefix("reset: nothing is heard, 1 device") == true)
    #expect(view.press(.character("p"), rows: []) == false)
    #expect(list(120, 24, scene).last?.hasPrefix("paused, 1 device") == true)
  }

  @Test("Alarms are red, absent devices yellow; NO_COLOR has no colour")
  mutating func colors() {
    hear(1, "Garden")
    board.take(ListenSample.alarm(.alarm, 1, "a > 1"), at: start)
    let coloured = ListenPages(style: Style(isEnabled: true), term: nil)
    let lines = coloured.table(board.ranked(), at: start, columns: 80)
    #expect(
      lines[1].contains("\u{1b}[31mGarden\u{1b}[0m") && lines[1].contains("\u{1b}[31mALARM a > 1\u{1b}[0m"))
    #expect(pages.table(board.ranked(), at: start, columns: 80).allSatisfy { !$0.contains("\u{1b}") })
    board.take(ListenSample.alarm(.cleared, 1, "a > 1"), at: start)
    board.take(ListenSample.absence(.absent, 1), at: start)
    #expect(coloured.table(board.ranked(), at: start, columns: 80)[1].contains("\u{1b}[33mabsent\u{1b}[0m"))
  }

  @Test("The page of a device has every value, by the name that conditions have for it")
  mutating func device() {
    hear(1, "Garden")
    let row = board.ranked().first
    let lines = pages.device(row, scene, &view, size: TerminalSize(columns: 80, rows: 24))
    #expect(lines.contains("name                 Garden") && lines.contains("heard                1m ago"))
    #expect(lines.contains("temperature_celsius  20 °C") && lines.contains("rssi_dbm             -60 dBm"))
    #expect(lines.last?.hasPrefix("Esc back") == true)
    let low = TerminalSize(columns: 80, rows: 4)
    let (short, empty) = (
      pages.device(row, scene, &view, size: low), pages.device(nil, scene, &view, size: low)
    )
    #expect(short.count == 4 && empty.first == "not heard any more")
  }
}

@Suite("The table of listen")
struct ListenTableTests {
  private let start = ListenSample.start

  @Test("The first event draws it, time makes it older, and the end leaves the last table")
  func life() throws {
    let captured = CapturedConsole()
    let now = Now(start)
    let table = ListenTable(
      expecting: [try DeviceArgument(parsing: "Attic")], on: captured.console(isTerminal: true), keys: nil,
      clock: { now.time })
    try table.refresh()
    #expect(captured.output.isEmpty)
    try table.write([.reception(ReceptionRecord(event: .started))])
    #expect(captured.output.last?.contains("listening, 1 device; Ctrl-C ends") == true)
    try table.write([ListenSample.values(1, "Garden", [("temperature_celsius", 20, "°C")])])
    #expect(
      captured.output.last?.contains("Garden") == true && captured.output.last?.contains(" 0s ") == true)
    now.time += .seconds(7)
    try table.refresh()
    #expect(captured.output.last?.contains(" 7s ") == true)
    // Heard again, with the same values.
    table.sightings?.note(
      HeardDevice(address: ListenSample.address(1), name: "Garden"), at: start + .seconds(6))
    try table.refresh()
    #expect(captured.output.last?.contains(" 1s ") == true)
    try table.close()
    let last = try #require(captured.output.last)
    #expect(last.hasPrefix("DEVICE") && last.contains("not heard yet") && last.contains("20 °C"))
    #expect(!last.contains("listening"))
  }

  @Test("A pause keeps the picture while values come, and q ends")
  func keys() async throws {
    let captured = CapturedConsole()
    let keys = LiveKeys()
    let table = ListenTable(expecting: [], on: captured.console(isTerminal: true), keys: keys)
    try table.write([ListenSample.values(1, "Garden", [("temperature_celsius", 20, "°C")])])
    keys.add([.character("p")])
    try table.write([ListenSample.values(1, "Garden", [("temperature_celsius", 21, "°C")])])
    let paused = try #require(captured.output.last)
    #expect(paused.contains("paused, 1 device") && paused.contains("21 °C"))
    try table.write([ListenSample.values(1, "Garden", [("temperature_celsius", 33, "°C")])])
    #expect(captured.output.last?.contains("33 °C") == false)
    keys.add([.character("p"), .character("/"), .character("q"), .enter])
    try table.refresh()
    #expect(captured.output.last?.contains("0 of 1 device; /q") == true)
    keys.add([.escape, .character("q")])
    try table.refresh()
    #expect(captured.output.last?.contains("33 °C") == true)
    await keys.end.value
  }

  @Test("A note for the person is shown within the view, and stays behind it")
  func notes() throws {
    let captured = CapturedConsole()
    let console = captured.console(isTerminal: true)
    let table = ListenTable(expecting: [], on: console, keys: nil)
    try table.write([.reception(ReceptionRecord(event: .started))])
    console.warn("cannot write the broker")
    try table.write([.reception(ReceptionRecord(event: .interrupted, reason: "the adapter is off"))])
    #expect(captured.errors.isEmpty)
    let shown = try #require(captured.output.last)
    #expect(
      shown.contains("blectl: cannot write the broker") && shown.contains("the adapter is off, 0 devices"))
    try table.close()
    #expect(captured.errors.joined().contains("cannot write the broker"))
    // Nothing was heard: no table stays.
    #expect(captured.output.last?.contains("DEVICE") == false)
  }
}

/// A clock that a test moves.
private final class Now {
  var time: ContinuousClock.Instant

  init(_ time: ContinuousClock.Instant) { self.time = time }
}
