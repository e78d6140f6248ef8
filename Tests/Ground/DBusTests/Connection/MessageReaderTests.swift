// SPDX-License-Identifier: MIT
internal import AsyncIO
import Glibc
import Testing

@testable import DBus

/// A reader at one end of a pair of sockets, and what is sent at the other.
@Suite("MessageReader and MessageSender")
struct MessageReaderTests {
  /// Both ends, closed with the last who holds them.
  private final class Ends {
    let ours: Int32
    let theirs: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      (ours, theirs) = (ends[0], ends[1])
    }

    deinit {
      close(ours)
      close(theirs)
    }

    func send(_ bytes: some Sequence<UInt8>) {
      let bytes = Array(bytes)
      #expect(Glibc.send(theirs, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }
  }

  private func signal(_ number: UInt32, padding: Int = 0) -> Message {
    Message(signal: "Changed", of: "org.example.Thing", at: "/thing") {
      $0.uint32(number)
      $0.bytes(Array(repeating: 0xa5, count: padding))
    }
  }

  private func bytes(_ message: Message) -> [UInt8] { message.withBytes { Array($0) } }

  private func numbers(_ reader: inout MessageReader) throws -> [DBusValue] {
    var numbers: [DBusValue] = []
    while let message = try reader.next() { numbers += message.values.prefix(1) }
    return numbers
  }

  @Test("Messages that come together are read together, in their order")
  func together() throws {
    let ends = try Ends()
    var reader = MessageReader(ends.ours)
    ends.send((0..<5).flatMap { bytes(signal($0)) })
    #expect(reader.read() == .drained)
    #expect(try numbers(&reader) == (0..<5).map { .uint32($0) })
    #expect(reader.read() == .empty)
    #expect(try reader.next() == nil)
  }

  @Test("A message is whole only when its last byte has come, wherever it was cut", arguments: [0, 100_000])
  func cut(padding: Int) throws {
    let message = bytes(signal(7, padding: padding))
    for cut in [1, 15, 16, 17, message.count / 2, message.count - 1] {
      let ends = try Ends()
      var reader = MessageReader(ends.ours)
      ends.send(bytes(signal(1)) + message[..<cut])
      _ = reader.read()
      #expect(try numbers(&reader) == [.uint32(1)])
      while reader.read() == .more { #expect(try reader.next() == nil) }
      ends.send(message[cut...])
      ends.send(bytes(signal(2)))
      var found: [DBusValue] = []
      for _ in 0..<8 where found.count < 2 {
        _ = reader.read()
        found += try numbers(&reader)
      }
      #expect(found == [.uint32(7), .uint32(2)])
    }
  }

  @Test("Messages that are still held do not change while others come")
  func held() throws {
    let ends = try Ends()
    var reader = MessageReader(ends.ours)
    var held: [Message] = []
    for number in 0..<200 as Range<UInt32> {
      ends.send(bytes(signal(number, padding: 900)))
      _ = reader.read()
      if let message = try reader.next(), number % 3 == 0 { held.append(message) }
    }
    #expect(held.map { $0.values.first } == stride(from: 0, to: 200, by: 3).map { .uint32($0) })
  }

  @Test("The end of the stream is reported after everything before it")
  func ended() throws {
    let ends = try Ends()
    var reader = MessageReader(ends.ours)
    ends.send(bytes(signal(1)))
    shutdown(ends.theirs, Int32(SHUT_WR))
    #expect(reader.read() == .drained)
    #expect(try numbers(&reader) == [.uint32(1)])
    #expect(reader.read() == .ended)
  }

  @Test(
    "Bytes that are not a message end the connection",
    arguments: [
      Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
      [UInt8(ascii: "l"), 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [UInt8(ascii: "l"), 4, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0],
      [UInt8(ascii: "l"), 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
      // A field that leads out of the header.
      [UInt8(ascii: "l"), 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 1, 0x6f, 0, 0xff, 0, 0, 0],
      // A descriptor that did not come.
      [UInt8(ascii: "l"), 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 9, 1, 0x75, 0, 1, 0, 0, 0],
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) throws {
    let ends = try Ends()
    var reader = MessageReader(ends.ours)
    ends.send(bytes)
    _ = reader.read()
    #expect(throws: DBusError.disconnected) { try reader.next() }
  }

  @Test("A sender's messages leave together, each descriptor with its own message")
  func descriptors() throws {
    let ends = try Ends()
    var pipes: [Int32] = [-1, -1]
    try #require(pipe(&pipes) == 0)
    defer { for end in pipes { close(end) } }
    var sender = MessageSender(ends.theirs)
    sender.add(signal(1))
    for end in pipes {
      sender.add(Message(signal: "Here", of: "org.example.Thing", at: "/thing") { $0.descriptor(end) })
    }
    sender.add(signal(2))
    #expect(!sender.isEmpty)
    let isThere = sender.flush()
    #expect(isThere && sender.isEmpty)
    var reader = MessageReader(ends.ours)
    var messages: [Message] = []
    for _ in 0..<8 where messages.count < 4 {
      _ = reader.read()
      while let message = try reader.next() { messages.append(message) }
    }
    try #require(messages.count == 4)
    #expect(messages[0].values.first == .uint32(1))
    #expect(messages[3].values.first == .uint32(2))
    let writeEnd = messages[2].takeDescriptor(at: 0)?.release() ?? -1
    #expect(write(writeEnd, "x", 1) == 1)
    close(writeEnd)
    let readEnd = messages[1].takeDescriptor(at: 0)?.release() ?? -1
    var byte: UInt8 = 0
    #expect(read(readEnd, &byte, 1) == 1)
    close(readEnd)
    #expect(byte == UInt8(ascii: "x"))
  }

  @Test("A full socket keeps the rest for later, and one whose reader is gone reports that")
  func full() throws {
    let ends = try Ends()
    var sender = MessageSender(ends.theirs)
    for number in 0..<1000 as Range<UInt32> { sender.add(signal(number, padding: 1000)) }
    var reader = MessageReader(ends.ours)
    var found: [DBusValue] = []
    while found.count < 1000 {
      let isThere = sender.flush()
      #expect(isThere)
      _ = reader.read()
      found += try numbers(&reader)
    }
    #expect(sender.isEmpty)
    #expect(found == (0..<1000).map { .uint32($0) })
    shutdown(ends.ours, Int32(SHUT_RDWR))
    sender.add(signal(1))
    let isThere = sender.flush()
    #expect(!isThere)
  }
}
