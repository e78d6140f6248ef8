// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing
import ValueStreams

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("LiveView")
struct LiveViewTests {
  @Test("Messages that come meanwhile are printed at the end, where nothing is drawn over them")
  func notes() throws {
    let captured = CapturedConsole()
    let console = captured.console(isTerminal: true)
    let view = LiveView(console)
    console.note("before")
    try view.draw { _ in ["picture"] }
    console.note("meanwhile")
    #expect(captured.errors == ["before\n"])
    #expect(console.newestHeldNote == "meanwhile")
    try view.close()
    #expect(captured.errors == ["before\n", "meanwhile\n"])
    #expect(captured.output.last == LiveScreen.leaving)
    #expect(console.newestHeldNote == nil)
    try view.close()
    #expect(captured.output.count == 2)
  }

  @Test("The terminal is given back behind the picture that is being written")
  func givingBack() async {
    let hasBegun = Lock(false)
    let order = Lock<[String]>([])
    let end = Promise<Void>()
    TerminalRestorer.draw {
      WorkerThread.start {
        hasBegun.withLock { $0 = true }
        TerminalRestorer.restore()
        order.withLock { $0.append("given back") }
        end.fulfil(())
      }
      while !hasBegun.withLock({ $0 }) { sched_yield() }
      for _ in 0..<1000 { sched_yield() }
      order.withLock { $0.append("drawn") }
    }
    await end.value
    let events = order.withLock { $0 }
    #expect(events == ["drawn", "given back"])
  }

  @Test("Notes are not kept where they go to a file")
  func elsewhere() throws {
    let captured = CapturedConsole()
    let console = captured.console()
    console.holdNotes()
    console.note("now")
    #expect(captured.errors == ["now\n"])
  }

  @Test("So many notes are kept, and the others counted")
  func bound() {
    var notes = HeldNotes()
    for index in 0..<150 { notes.add("note \(index)") }
    #expect(notes.all.count == HeldNotes.limit + 1)
    #expect(notes.all.first == "(50 earlier messages are left out)")
    #expect(notes.all.last == "note 149")
  }

  @Test("There is none on a pipe, nor on a terminal that cannot move its cursor")
  func possible() {
    let captured = CapturedConsole()
    #expect(LiveView.isPossible(on: captured.console(isTerminal: true), term: "xterm"))
    #expect(!LiveView.isPossible(on: captured.console(isTerminal: true), term: "dumb"))
    #expect(!LiveView.isPossible(on: captured.console(), term: "xterm"))
  }
}
