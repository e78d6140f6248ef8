// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import Glibc
internal import TestSupport

@testable internal import BluetoothProxy

/// A client of a proxy that speaks plaintext, and does what a test says; used only on the loop.
final class ScriptedClient: Sendable {
  /// A message of the proxy: its type and its body.
  struct Message: Sendable {
    let type: UInt16
    let body: [UInt8]

    var fields: ProtobufFields {
      get throws { try ProtobufFields(body[...]) }
    }

    func number(_ field: Int) throws -> UInt64 { try fields.number(field) }

    /// A number that may be negative.
    func signed(_ field: Int) throws -> Int32 { Int32(truncatingIfNeeded: try fields.number(field)) }

    func data(_ field: Int) throws -> [UInt8] { Array(try fields.data(field)) }
  }

  private struct Log {
    var bytes: [UInt8] = []
    var messages: [Message] = []
    /// The number of messages that the test has looked at.
    var seen = 0
    var isClosed = false
  }

  private let stream: Confined<SocketStream>
  private let log = Watched(Log())

  /// Takes one end of a pair of sockets; call on the loop's thread.
  init(_ descriptor: consuming OwnedDescriptor, on loop: EventLoop, reads: Bool = true) {
    let stream = SocketStream(adopting: descriptor, on: loop)
    self.stream = loop.confine(stream)
    if reads { read() }
  }

  /// Starts to read what the proxy has sent.
  func read() {
    stream.value.start { [log] bytes in
      log.change { log in
        log.bytes += bytes
        while let (message, count) = Self.message(log.bytes) {
          log.messages.append(message)
          log.bytes.removeFirst(count)
        }
      }
    } ended: { [log] _ in
      log.change { $0.isClosed = true }
    }
  }

  private static func message(_ bytes: [UInt8]) -> (Message, Int)? {
    guard bytes.first == 0 else { return nil }
    var rest = bytes.dropFirst()
    func number() -> Int? {
      var value = 0
      for place in 0..<5 {
        guard let byte = rest.popFirst() else { return nil }
        value |= Int(byte & 0x7f) << (7 * place)
        if byte < 0x80 { return value }
      }
      return nil
    }
    guard let size = number(), let type = number(), rest.count >= size else { return nil }
    let end = rest.startIndex + size
    return (Message(type: UInt16(type), body: Array(rest[..<end])), end)
  }

  // MARK: Sending

  func send(bytes: [UInt8]) { stream.value.send(bytes) }

  func send(_ type: UInt16, _ fields: (inout ProtobufWriter) -> Void = { _ in }) {
    var writer = ProtobufWriter()
    fields(&writer)
    send(bytes: PlainFrames.frame(type, writer.bytes))
  }

  func greet(_ name: String = "test", minor: Int = 14) async throws {
    send(1) { writer in
      writer.string(1, name)
      writer.number(2, 1)
      writer.number(3, minor)
    }
    _ = try await next(2)
  }

  /// Sends a request about a device: 1 to disconnect, 2 to pair, 3 to unpair, 5 to connect.
  func device(_ address: BluetoothAddress, _ request: Int) {
    send(68) { writer in
      writer.number(1, address.number)
      writer.number(2, request)
    }
  }

  /// Sends a request about an attribute, with further fields.
  func attribute(
    _ type: UInt16, _ address: BluetoothAddress, _ handle: UInt16,
    _ fields: (inout ProtobufWriter) -> Void = { _ in }
  ) {
    send(type) { writer in
      writer.number(1, address.number)
      writer.number(2, handle)
      fields(&writer)
    }
  }

  /// Connects to a device, and returns the answer.
  func connect(_ address: BluetoothAddress) async throws -> Message {
    device(address, 5)
    return try await next(69)
  }

  func close() { stream.value.close() }

  // MARK: Receiving

  struct Closed: Error {}

  /// Waits for the next message of one of some types, and skips those before it.
  func next(_ types: UInt16...) async throws -> Message {
    while true {
      let found = log.withLock { log -> Message? in
        while log.seen < log.messages.count {
          log.seen += 1
          let message = log.messages[log.seen - 1]
          if types.contains(message.type) { return message }
        }
        return nil
      }
      if let found { return found }
      let hasMore = await log.wait { $0.seen < $0.messages.count || $0.isClosed }
      if !hasMore || log.withLock({ $0.isClosed && $0.seen == $0.messages.count }) { throw Closed() }
    }
  }

  /// The messages of some types so far, whether or not the test has looked at them.
  func messages(_ types: UInt16...) -> [Message] {
    log.withLock { $0.messages.filter { types.contains($0.type) } }
  }

  /// Bytes that are no message in plaintext.
  var rest: [UInt8] { log.withLock { $0.bytes } }

  /// Returns when the proxy has closed the connection.
  func waitForEnd() async { await log.wait { $0.isClosed } }
}

extension BluetoothAddress {
  /// The address as a number.
  var number: UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
