// SPDX-License-Identifier: MIT
import BLECentral
import BlectlArguments
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("ScanView")
struct ScanViewTests {
  private var view = ScanView()
  private let rows = ["a", "b", "c", "d", "e"]

  private mutating func type(_ text: String) {
    for character in text { #expect(view.press(.character(character), rows: rows) == nil) }
  }

  @Test("The first row is selected until another one is chosen; the ends hold")
  mutating func selection() {
    #expect(view.device(in: rows) == "a")
    #expect(view.device(in: ["x", "a"]) == "x")
    #expect(view.press(.up, rows: rows) == nil)
    #expect(view.cursor.selection(in: rows) == 0)
    type("jj")
    #expect(view.device(in: rows) == "c")
    #expect(view.press(.down, rows: rows) == nil)
    type("k")
    #expect(view.device(in: rows) == "c")
    #expect(view.press(.end, rows: rows) == nil)
    type("j")
    #expect(view.device(in: rows) == "e")
    #expect(view.press(.home, rows: rows) == nil)
    #expect(view.device(in: rows) == "a")
    #expect(view.device(in: []) == nil)
    #expect(view.press(.enter, rows: []) == nil)
    #expect(view.page == .list)
  }

  @Test("The selection stays with its device, wherever its row goes")
  mutating func moving() {
    type("j")
    #expect(view.cursor.selection(in: ["c", "d", "b"]) == 2)
    // Gone, and back again.
    #expect(view.cursor.selection(in: ["c", "d"]) == 0)
    #expect(view.cursor.selection(in: ["c", "b"]) == 1)
  }

  @Test("The selected row is among those that are shown, and a page is what was shown")
  mutating func window() {
    #expect(view.cursor.window(of: rows, room: 5) == 0..<5)
    #expect(view.cursor.window(of: rows, room: 4) == 0..<3)
    #expect(view.press(.pageDown, rows: rows) == nil)
    #expect(view.device(in: rows) == "d")
    #expect(view.cursor.window(of: rows, room: 4) == 1..<4)
    type("j")
    #expect(view.cursor.window(of: rows, room: 4) == 2..<5)
    #expect(view.press(.pageUp, rows: rows) == nil)
    #expect(view.cursor.window(of: rows, room: 4) == 1..<4)
    #expect(view.cursor.window(of: rows, room: 1) == 1..<2)
    #expect(view.cursor.window(of: rows, room: 0) == 1..<2)
    #expect(view.cursor.window(of: ["b"], room: 4) == 0..<1)
    #expect(view.cursor.window(of: [], room: 4).isEmpty)
  }

  @Test("Enter shows the device, then connects for its services; Esc goes back, and releases the link")
  mutating func pages() {
    type("j")
    #expect(view.press(.enter, rows: rows) == nil)
    #expect(view.page == .device("b"))
    #expect(view.press(.enter, rows: ["x"]) == .connect("b"))
    #expect(view.page == .services("b"))
    #expect(view.press(.enter, rows: rows) == .connect("b"))
    #expect(view.press(.escape, rows: rows) == .release)
    #expect(view.page == .device("b"))
    #expect(view.press(.escape, rows: rows) == nil)
    #expect(view.page == .list)
    #expect(view.device(in: rows) == "b")
    #expect(view.press(.escape, rows: rows) == nil)
    #expect(view.page == .list)
  }

  @Test("A row that Enter has shown remains selected, also the first one")
  mutating func chosen() {
    #expect(view.press(.enter, rows: rows) == nil)
    #expect(view.press(.escape, rows: rows) == nil)
    #expect(view.device(in: ["b", "a"]) == "a")
  }

  @Test("A page scrolls no further than its end")
  mutating func scrolling() {
    #expect(view.press(.enter, rows: rows) == nil)
    #expect(view.cursor.window(ofLines: 10, room: 4) == 0..<4)
    type("jj")
    #expect(view.cursor.window(ofLines: 10, room: 4) == 2..<6)
    #expect(view.press(.end, rows: rows) == nil)
    #expect(view.cursor.window(ofLines: 10, room: 4) == 6..<10)
    type("k")
    #expect(view.cursor.window(ofLines: 10, room: 4) == 5..<9)
    #expect(view.press(.pageUp, rows: rows) == nil)
    #expect(view.cursor.window(ofLines: 10, room: 4) == 1..<5)
    #expect(view.cursor.window(ofLines: 3, room: 4) == 0..<3)
    #expect(view.cursor.window(ofLines: 0, room: 4).isEmpty)
  }

  @Test("Y marks the selected or the shown device, and takes the mark away again")
  mutating func marks() {
    type("jy")
    #expect(view.marked == ["b"])
    type("jyk")
    #expect(view.marked == ["b", "c"])
    #expect(view.press(.enter, rows: rows) == nil)
    type("y")
    #expect(view.marked == ["c"])
    type("y")
    #expect(view.marked == ["c", "b"])
  }

  @Test("S goes through the orders and begins again; p pauses; q ends, on each page")
  mutating func others() {
    var orders: [ScanOrder] = []
    for _ in ScanOrder.allCases {
      orders.append(view.order)
      type("s")
    }
    #expect(orders == ScanOrder.allCases)
    #expect(view.order == .signal)
    type("p")
    #expect(view.isPaused)
    type("p")
    #expect(!view.isPaused)
    #expect(view.press(.character("q"), rows: rows) == .end)
    #expect(view.press(.enter, rows: rows) == nil)
    type("s/")
    #expect(view.order == .signal && !view.filter.isTyping)
    #expect(view.press(.character("q"), rows: rows) == .end)
  }

  @Test("While a filter is typed, letters are its text, and arrows select")
  mutating func filter() {
    type("/qps")
    #expect(view.filter.text == "qps" && view.filter.isTyping && !view.isPaused)
    #expect(view.press(.down, rows: rows) == nil)
    #expect(view.device(in: rows) == "b")
    #expect(view.press(.enter, rows: rows) == nil)
    #expect(view.page == .list && !view.filter.isTyping && view.filter.text == "qps")
    #expect(view.press(.escape, rows: rows) == nil)
    #expect(view.filter.text.isEmpty)
  }
}

@Suite("NameFilter")
struct NameFilterTests {
  private func filter(_ keys: [Key]) -> NameFilter {
    var filter = NameFilter()
    filter.begin()
    for key in keys { _ = filter.take(key) }
    return filter
  }

  @Test("Backspace takes a character as a person sees it, Ctrl-U all of them")
  func editing() {
    #expect(filter([.character("漢"), .character("e"), .character("\u{301}"), .backspace]).text == "漢")
    #expect(filter([.backspace]).text.isEmpty)
    #expect(filter([.character("a"), .clear, .character("b")]).text == "b")
    #expect(filter(Array(repeating: .character("a"), count: 1000)).text.utf8.count == 248)
  }

  @Test("Enter accepts, and Esc drops; other keys are not its own")
  func ends() {
    #expect(filter([.character("a"), .enter]).text == "a")
    #expect(!filter([.character("a"), .enter]).isTyping)
    #expect(filter([.character("a"), .escape]) == NameFilter())
    var filter = filter([])
    #expect(!filter.take(.up) && filter.isTyping)
  }

  @Test("A filter finds names as DEVICE does")
  func matches() throws {
    #expect(filter([.enter]).pattern == nil)
    let part = try #require(filter([.character("B"), .character("a")]).pattern)
    #expect(part.rank(of: "MI band 2") != nil && part.rank(of: "Piano") == nil)
    let pattern = try #require(filter("MI*2".map { .character($0) }).pattern)
    #expect(pattern.rank(of: "MI band 2") != nil && pattern.rank(of: "Piano") == nil)
  }
}

@Suite("ScanOrder")
struct ScanOrderTests {
  private func rank(
    _ number: UInt8, _ name: String?, _ strength: Int, isHeard: Bool = true, arrival: Int = 0
  ) throws -> ScanOrder.Rank {
    let digits = String(number, radix: 16)
    let address = try #require(BluetoothAddress("C0:00:00:00:00:0\(digits)"))
    return ScanOrder.Rank(
      isHeard: isHeard, strength: strength, name: name.map { NaturalName($0) }, address: address,
      arrival: arrival)
  }

  @Test("Each order has its sense, and addresses decide where it does not")
  func orders() throws {
    let ranks = [
      try rank(1, "piano", -60, arrival: 2), try rank(2, nil, -40, isHeard: false, arrival: 3),
      try rank(3, "Band", -60, arrival: 0), try rank(4, nil, -50, arrival: 1),
      try rank(5, "PIANO", -80, arrival: 4),
    ]
    func sorted(_ order: ScanOrder) -> [String] {
      ranks.sorted { order.places($0, before: $1) }.map { String("\($0.address)".suffix(1)) }
    }
    #expect(sorted(.signal) == ["4", "1", "3", "5", "2"])
    #expect(sorted(.name) == ["3", "1", "5", "2", "4"])
    #expect(sorted(.address) == ["1", "2", "3", "4", "5"])
    #expect(sorted(.arrival) == ["5", "2", "1", "4", "3"])
    for order in ScanOrder.allCases {
      for first in ranks {
        for other in ranks {
          #expect(!(order.places(first, before: other) && order.places(other, before: first)))
        }
      }
    }
  }
}

@Suite("HostChoice")
struct HostChoiceTests {
  private var choice = HostChoice()

  @Test("The host that hears a device first is the best one, until another hears it better by far")
  mutating func strongest() {
    #expect(choice.best == nil)
    choice.hear("cellar", rssi: -70, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -67, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -66, second: 0)
    #expect(choice.best == "attic")
    // Equal hosts do not take turns.
    choice.hear("cellar", rssi: -64, second: 1)
    choice.hear("attic", rssi: -67, second: 1)
    #expect(choice.best == "attic")
  }

  @Test("A host that has not heard the device recently gives way to any other")
  mutating func silent() {
    choice.hear("attic", rssi: -40, second: 0)
    choice.hear("cellar", rssi: -90, second: ScanBoard.staleAfter)
    #expect(choice.best == "attic")
    choice.hear("cellar", rssi: -90, second: ScanBoard.staleAfter + 1)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -40, second: ScanBoard.staleAfter + 2)
    #expect(choice.best == "attic")
  }

  @Test("A host that knows no strength is better than none only")
  mutating func unknown() {
    choice.hear("attic", rssi: nil, second: 0)
    #expect(choice.best == "attic")
    choice.hear("cellar", rssi: -100, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: nil, second: 0)
    #expect(choice.best == "cellar")
    #expect(choice.sightings.count == 2)
  }
}

@Suite("Pictures of signals")
struct SignalTests {
  @Test(
    "A bar is as long as the signal is strong",
    arguments: [
      (-127, "▏"), (-100, "▏"), (-90, "█"), (-80, "██"), (-75, "██▌"), (-41, "█████▉"), (-40, "██████"),
      (20, "██████"),
    ])
  func bar(rssi: Int, bar: String) {
    #expect(SignalPicture().bar(rssi) == bar)
    #expect(DisplayWidth.of(bar) <= SignalPicture.barWidth)
  }

  @Test("A sparkline has a column for each second, and a hole where nothing was heard")
  func sparkline() {
    #expect(SignalPicture().sparkline([-100, -90, nil, -70, -60, -50, nil, -30]) == "▁▁ ▄▅▇ █")
    #expect(SignalPicture(hasBlocks: false).sparkline([-100, nil, -30]) == ". @")
    #expect(SignalPicture(hasBlocks: false).bar(-70) == "###")
    #expect(SignalPicture().bar(nil).isEmpty)
  }

  @Test("A history keeps the last seconds, the newest at the end")
  func history() {
    var history = SignalHistory()
    #expect(history.strengths(at: 3) == Array(repeating: nil, count: 8))
    history.add(-70, second: 0)
    history.add(-60, second: 0)
    history.add(-50, second: 2)
    #expect(history.strengths(at: 2) == [nil, nil, nil, nil, nil, -60, nil, -50])
    #expect(history.strengths(at: 4) == [nil, nil, nil, -60, nil, -50, nil, nil])
    #expect(history.strengths(at: 1000) == Array(repeating: nil, count: 8))
    history.add(-40, second: 1000)
    #expect(history.strengths(at: 1000).compactMap(\.self) == [-40])
  }

  @Test("The sort key is smoothed")
  func steady() {
    var history = SignalHistory()
    history.add(-60, second: 0)
    #expect(history.steady == -60)
    history.add(-68, second: 0)
    #expect(history.steady == -61)
  }
}
