// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BlectlCommands

@Suite("The links that a proxy leaves")
struct LinkJournalTests {
  private let directory: ScratchDirectory
  private let adapter: BluetoothAddress
  private let links: [BluetoothAddress]

  init() throws {
    directory = try ScratchDirectory()
    adapter = try #require(BluetoothAddress("00:1A:7D:DA:71:13"))
    links = try (1...3).map { try #require(BluetoothAddress("C0:00:00:00:00:0\($0)")) }
  }

  private func journal(of adapter: BluetoothAddress? = nil) -> LinkJournal {
    LinkJournal(of: adapter ?? self.adapter) { [directory] name in
      name == "STATE_DIRECTORY" ? "\(directory.path):/var/lib/other" : nil
    }
  }

  @Test("The next process finds the links of the last note, on the same bus and adapter only")
  func notes() throws {
    journal().note(links, onBus: "bus 1")
    journal().note(Array(links.dropFirst()), onBus: "bus 1")
    #expect(journal().links(onBus: "bus 1") == Array(links.dropFirst()))
    // The machine, or the bus, was started again: its links are gone.
    #expect(journal().links(onBus: "bus 2").isEmpty)
    #expect(journal().links(onBus: "").isEmpty)
    let other = try #require(BluetoothAddress("00:1A:7D:DA:71:14"))
    #expect(journal(of: other).links(onBus: "bus 1").isEmpty)
    #expect(directory.names == ["proxy-001a7dda7113.links"])
    var status = stat()
    #expect(lstat("\(directory.path)/proxy-001a7dda7113.links", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("Without links, there is no file, also if there was none")
  func empty() {
    journal().note([], onBus: "bus 1")
    journal().note(links, onBus: "bus 1")
    journal().note([], onBus: "bus 1")
    #expect(directory.names == [])
    #expect(journal().links(onBus: "bus 1").isEmpty)
  }

  @Test(
    "Lines that are no addresses are passed over, and a file that is none of a journal has no links",
    arguments: [
      ("bus 1\nC0:00:00:00:00:01\nnonsense\n\n", 1), ("C0:00:00:00:00:01\n", 0), ("", 0), ("\0\u{ff}", 0),
    ])
  func damaged(text: String, count: Int) throws {
    try directory.write("proxy-001a7dda7113.links", Array(text.utf8))
    #expect(journal().links(onBus: "bus 1").count == count)
  }

  @Test("Without a folder, nothing is kept; a link at the place of the new file is not followed")
  func noPlace() throws {
    let homeless = LinkJournal(of: adapter) { _ in nil }
    homeless.note(links, onBus: "bus 1")
    #expect(homeless.links(onBus: "bus 1").isEmpty)
    try directory.write("other", Array("mine".utf8))
    try #require(symlink("\(directory.path)/other", "\(directory.path)/proxy-001a7dda7113.links.new") == 0)
    journal().note(links, onBus: "bus 1")
    #expect(directory.read("other") == "mine")
  }
}
