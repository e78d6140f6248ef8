// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import BLEWorld

/// docs/faults.md lists the commands.
@Suite("Fault page")
struct FaultPageTests {
  private func page() throws -> String {
    try #require(RecordedFile.read(RecordedFile.path("docs/faults.md")))
  }

  @Test("The page has every command, marked if it can be undone")
  func pageHasEvery() throws {
    let page = try page()
    for word in CommandScope.commands {
      #expect(page.contains("\n| `\(word.word)`\(word.isUndoable ? " •" : "") |"), "\(word.word)")
    }
  }

  @Test("Each example of the page is the command of its row")
  func eachExamplePage() throws {
    let rows = try page().split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("{\"do\"") }
    #expect(rows.count == CommandScope.commands.count)
    for row in rows {
      let cells = row.split(separator: "`")
      let example = try #require(cells.last { $0.hasPrefix("{") })
      _ = try ControlRequest.read(Array(example.utf8))
      #expect(example.hasPrefix("{\"do\":\"\(cells[1])\""))
    }
  }

  @Test("The world of the page is valid")
  func worldPageValid() throws {
    let page = try page()
    let start = try #require(page.range(of: "```json\n")?.upperBound)
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)?.lowerBound)
    let world = try World(json: Array(page[start..<end].utf8), name: "page") { path throws(WorldFileError) in
      throw WorldFileError(path, cause: "none")
    }
    #expect(world.events.count == 4)
    #expect(world.peripherals[0].faults.count == 2)
  }

  @Test("Each command has one name, that of its action")
  func eachCommandHas() {
    #expect(Set(CommandScope.commands.map { $0.word }).count == CommandScope.commands.count)
    for event in World.everything.events {
      let command = type(of: event.command.action.command)
      // A command can be undone if its action has an undoing.
      #expect(command.isUndoable == (event.command.action.undoing != nil), "\(event)")
    }
  }
}
