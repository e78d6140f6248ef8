// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import TestSupport
internal import Testing

@testable internal import BlectlSerial

@Suite("Keys of the console")
struct ConsoleKeysTests {
  @Test("The key that ends is not sent, nor what follows it")
  func escape() throws {
    var keys = ConsoleKeys()
    #expect(keys.sent(for: [0x61, 0x1d, 0x62]) == ([0x61], true))
    #expect(keys.sent(for: [0x03, 0x0d]) == ([0x03, 0x0d], false))
    keys.escape = try ConsoleKeys.Escape(parsing: "ctrl-A")
    #expect(keys.sent(for: [0x1d, 0x01]) == ([0x1d], true))
    keys.escape = try ConsoleKeys.Escape(parsing: "none")
    #expect(keys.sent(for: [0x1d, 0x01]) == ([0x1d, 0x01], false))
  }

  @Test(
    "Keys are named as people write them",
    arguments: [("^]", "Ctrl-]"), ("^a", "Ctrl-A"), ("Ctrl-X", "Ctrl-X")])
  func names(_ text: String, _ name: String) throws {
    #expect(try ConsoleKeys.Escape(parsing: text).description == name)
  }

  @Test("Other texts are no keys", arguments: ["", "^", "a", "^ab", "ctrl-", "^1", "^ä", "^ "])
  func noKeys(_ text: String) {
    #expect(throws: ArgumentError.self) { try ConsoleKeys.Escape(parsing: text) }
  }

  @Test("Return is sent as CR LF where that is wanted, typed key by key or line by line")
  func lineEnds() {
    var keys = ConsoleKeys()
    keys.endsWithBoth = true
    #expect(keys.sent(for: [0x61, 0x0d]).bytes == [0x61, 0x0d, 0x0a])
    keys.sendsLines = true
    #expect(keys.sent(for: [0x61, 0x0a, 0x1d]) == ([0x61, 0x0d, 0x0a, 0x1d], false))
  }

  @Test("Typed lines are shown from the first column")
  func echo() {
    let keys = ConsoleKeys()
    #expect(keys.shown(for: [0x61, 0x0d]) == [0x61, 0x0d, 0x0a])
  }
}

@Suite("Format of packets")
struct PacketFormatTests {
  private func text(_ format: PacketFormat, _ packets: [UInt8]...) -> String {
    String(decoding: packets.flatMap { format.text(of: $0) }, as: UTF8.self)
  }

  @Test("Bytes are as they are; the time is before each line, however the packets divide it")
  func time() {
    #expect(text(PacketFormat(isHex: false, time: nil), [0x61, 0xff]) == "a\u{fffd}")
    let timed = PacketFormat(isHex: false) { "T" }
    #expect(text(timed, Array("a\nb".utf8), Array("c\n".utf8), Array("\nd".utf8)) == "T  a\nT  bc\nT  \nT  d")
  }

  @Test("Packets are dumped in lines of sixteen bytes, without control characters")
  func hex() {
    let format = PacketFormat(isHex: true) { "T" }
    let bytes = Array("hello, \u{1b}[31m!".utf8) + [0, 1, 2, 3, 4, 5]
    #expect(
      text(format, bytes) == """
        T  68 65 6c 6c 6f 2c 20 1b 5b 33 31 6d 21 00 01 02  |hello, .[31m!...|
        T  03 04 05                                         |...|

        """)
    #expect(text(format, []).isEmpty)
  }
}

@Suite("Log of a serial port")
struct SerialLogTests {
  private func append(_ text: String, to path: String, beginsLine: Bool) throws {
    let log = try SerialLog(path, beginsLine: beginsLine) { _ in }
    log.write([])
    log.write(Array(text.utf8))
  }

  @Test(
    "A line that begins with its time does so behind the unfinished line of an earlier run; bytes follow bytes"
  )
  func unfinished() throws {
    let directory = try ScratchDirectory()
    let path = "\(directory.path)/log"
    try append("T  no end", to: path, beginsLine: true)
    try append("T  x\n", to: path, beginsLine: true)
    try append("T  y", to: path, beginsLine: true)
    try append("z", to: path, beginsLine: false)
    #expect(WholeFile.text(path) == "T  no end\nT  x\nT  yz")
  }
}

@Suite("Cursor of the terminal")
struct TerminalCursorTests {
  @Test("A message behind an unfinished line begins on a line of its own, once")
  func line() {
    let cursor = TerminalCursor()
    #expect(cursor.lineEnd() == [])
    cursor.passed(Array("answer\r\n> ".utf8)[...])
    cursor.passed([])
    #expect(cursor.lineEnd() == [0x0a])
    #expect(cursor.lineEnd() == [])
    cursor.passed(Array("> \r\n".utf8)[...])
    #expect(cursor.lineEnd() == [])
  }
}

@Suite("Addresses to listen on")
struct ServerAddressTests {
  @Test(
    "A port alone is of this machine only",
    arguments: [
      ("7777", "127.0.0.1", UInt16(7777)), ("localhost:0", "localhost", 0), ("0.0.0.0:80", "0.0.0.0", 80),
      ("[::1]:7777", "::1", 7777),
    ])
  func addresses(_ text: String, _ host: String, _ port: UInt16) throws {
    #expect(try ServerAddress(parsingTCP: text) == .tcp(host: host, port: port))
  }

  @Test(
    "Other texts are refused", arguments: ["", "host", ":7777", "host:", "70000", "::1:7777", "1:x", "-1"])
  func faults(_ text: String) {
    #expect(throws: ArgumentError.self) { try ServerAddress(parsingTCP: text) }
  }
}
