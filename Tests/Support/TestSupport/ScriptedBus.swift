// SPDX-License-Identifier: MIT
package import DBus
internal import Glibc

/// A bus with one client, which says what a script makes it say: also what no real bus would.
///
/// It blocks: a test runs it on a thread of its own, with ``start(_:)``. Confined to that thread.
package final class ScriptedBus: @unchecked Sendable {
  /// Where it is reached.
  package let address: String
  private let listener: Int32
  private var client: Int32 = -1
  private var serial: UInt32 = 0

  /// The name that it gives its client.
  package static let clientName = ":1.7"

  package init() throws {
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // Bound to nothing, the kernel finds a name in the abstract space.
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    var size = socklen_t(MemoryLayout<sa_family_t>.size)
    let number = listener
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(number, address, size) == 0 else { return false }
        size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return getsockname(number, address, &size) == 0
      }
    }
    guard isBound, listen(listener, 1) == 0 else { throw ScriptedBusError.noSocket(errno) }
    let name = withUnsafeBytes(of: place.sun_path) { Array($0[1..<Int(size) - 2]) }
    address = "unix:abstract=" + String(decoding: name, as: UTF8.self)
  }

  deinit {
    hangUp()
    Glibc.close(listener)
  }

  /// Starts a bus whose script runs on a thread of its own.
  package static func start(_ script: @escaping @Sendable (ScriptedBus) -> Void) throws -> ScriptedBus {
    let bus = try ScriptedBus()
    VirtualTime.current?.threadWorks(bus)
    Thread.detach {
      script(bus)
      VirtualTime.current?.threadEnded(bus)
    }
    return bus
  }

  /// Refuses further connections; from any thread.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Ends the connection.
  package func hangUp() {
    if client >= 0 { Glibc.close(client) }
    client = -1
  }

  /// Waits until a descriptor is readable: only then may virtual time be skipped.
  private func wait(for descriptor: Int32) {
    guard descriptor >= 0 else { return }  // the client was hung up on
    VirtualTime.current?.threadWaits(self, for: descriptor)
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&readable, 1, -1) < 0, errno == EINTR {}
    VirtualTime.current?.threadWorks(self)
  }

  // MARK: Coming in

  /// Waits for a client and lets it in, without a check.
  ///
  /// - Returns: false when it has gone before it was in.
  package func acceptClient() -> Bool {
    hangUp()
    wait(for: listener)
    repeat { client = accept(listener, nil, nil) } while client < 0 && errno == EINTR
    while let line = receiveLine() {
      if line.hasPrefix("BEGIN") { return true }
      if line.hasPrefix("AUTH EXTERNAL") {
        send(Array("OK 00112233445566778899aabbccddeeff\r\n".utf8))
      } else if line.hasPrefix("NEGOTIATE_UNIX_FD") {
        send(Array("AGREE_UNIX_FD\r\n".utf8))
      } else {
        send(Array("REJECTED EXTERNAL\r\n".utf8))
      }
    }
    return false
  }

  private func receiveLine() -> String? {
    var line: [UInt8] = []
    while let byte = receive(1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      if byte != 0 { line.append(byte) }
    }
    return nil
  }

  // MARK: Messages

  /// The next message of the client; nil when it has gone.
  package func next() -> Message? {
    guard let head = receive(16) else { return nil }
    let (body, fields) = head.withUnsafeBytes { head in
      (
        Int(head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)),
        Int(head.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      )
    }
    guard let rest = receive((fields + 7) & ~7 + body) else { return nil }
    return (head + rest).withUnsafeBytes { Message(marshalled: $0) }
  }

  /// Sends a message, numbered.
  package func send(_ message: Message, from sender: String?) { send(Delivery(message, from: sender)) }

  /// Sends a message, numbered.
  package func send(_ delivery: Delivery) {
    var delivery = delivery
    serial += 1
    delivery.serial = serial
    send(delivery.bytes)
  }

  /// Sends messages, numbered, with one system call.
  package func send(_ deliveries: [Delivery]) {
    send(
      deliveries.flatMap { delivery in
        var delivery = delivery
        serial += 1
        delivery.serial = serial
        return delivery.bytes
      })
  }

  /// Sends any bytes.
  package func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      wait(for: client)
      let got = bytes.withUnsafeMutableBytes {
        recv(client, $0.baseAddress.map { $0 + filled }, count - filled, 0)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      filled += got
    }
    return bytes
  }
}

package enum ScriptedBusError: Error {
  case noSocket(Int32)
}

extension ScriptedBus {
  /// The signal that gives a client its name.
  package static func nameAcquired(_ name: String = clientName) -> Message {
    Message(signal: "NameAcquired", of: BusDriver.interface, at: BusDriver.path) { $0.string(name) }
  }

  /// Lets a client in and answers its Hello, as a bus does.
  ///
  /// - Returns: false when it has gone.
  package func welcome() -> Bool {
    guard acceptClient(), let hello = next() else { return false }
    send(Message(replyTo: hello) { $0.string(ScriptedBus.clientName) }, from: BusDriver.name)
    send(ScriptedBus.nameAcquired(), from: BusDriver.name)
    return true
  }
}

/// A message as a bus delivers it, with sender and number; also one that no bus would.
package struct Delivery: Sendable {
  package var kind: Message.Kind
  package var serial: UInt32 = 1
  package var replySerial: UInt32?
  package var path: String?
  package var interface: String?
  package var member: String?
  package var errorName: String?
  package var destination: String?
  package var sender: String?
  package var signature: String
  package var body: [UInt8]

  /// The message that a bus passes on for a client's message.
  package init(_ message: Message, from sender: String?) {
    kind = message.kind
    replySerial = message.replySerial == 0 ? nil : message.replySerial
    (path, interface, member) = (message.path, message.interface, message.member)
    (errorName, destination, signature) = (message.errorName, message.destination, message.signature)
    self.sender = sender
    body = message.withBytes { bytes in
      Array(bytes.suffix(Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
    }
  }

  /// The message, little-endian, header and all.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "l"), kind.rawValue, kind == .methodCall ? 0 : 1, 1]
    func integer(_ value: Int) {
      for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    func align() { while bytes.count % 8 != 0 { bytes.append(0) } }
    func text(_ field: UInt8, _ type: String, _ text: String?) {
      guard let text else { return }
      align()
      bytes += [field, 1] + type.utf8 + [0]
      if type == "g" {
        bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
      } else {
        integer(text.utf8.count)
      }
      bytes += text.utf8 + [0]
    }
    integer(body.count)
    integer(Int(serial))
    integer(0)
    text(1, "o", path)
    text(2, "s", interface)
    text(3, "s", member)
    text(4, "s", errorName)
    if let replySerial {
      align()
      bytes += [5, 1, UInt8(ascii: "u"), 0]
      integer(Int(replySerial))
    }
    text(6, "s", destination)
    text(7, "s", sender)
    if !signature.isEmpty { text(8, "g", signature) }
    let length = bytes.count - 16
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
    align()
    return bytes + body
  }
}
