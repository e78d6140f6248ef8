// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TestSupport

@testable internal import DBus

/// Any bytes on a socket, in any pieces, with descriptors or without.
enum MessageStream {
  /// Reads what some bytes say until the stream ends; no descriptor is left open.
  static func play(_ feeder: inout ByteFeeder) {
    let before = freeDescriptor()
    playOnce(&feeder)
    precondition(freeDescriptor() == before, "a descriptor was left open")
  }

  private static func playOnce(_ feeder: inout ByteFeeder) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return }
    defer { for end in ends { close(end) } }
    var reader = MessageReader(ends[0])
    var held: [Message] = []
    while !feeder.isEmpty {
      var sender = MessageSender(ends[1])
      let choice = feeder.byte()
      if choice < 0x60 {
        // A message of ours, whole, with as many descriptors as it says.
        sender.add(
          Message(signal: "X", of: "a.b", at: "/") { writer in
            for _ in 0..<choice % 4 { writer.descriptor(ends[0]) }
            writer.value(feeder.anyValue(depth: 0))
          })
        _ = sender.flush()
      } else {
        var bytes = feeder.raw(Int(choice & 0x1f) * 8 + 1)
        if choice < 0xa0 {
          var delivery = feeder.delivery()
          feeder.distort(&delivery)
          bytes = delivery.bytes
        }
        _ = send(ends[1], bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      guard read(&reader, &held) else { return }
    }
  }

  /// One turn; false when the stream has ended.
  private static func read(_ reader: inout MessageReader, _ held: inout [Message]) -> Bool {
    let outcome = reader.read()
    do {
      while let message = try reader.next() {
        _ = message.traceDescription
        _ = DBusError(reply: message).description
        if let descriptor = message.takeDescriptor(at: 0) { precondition(descriptor.raw >= 0) }
        held.append(message)
        if held.count > 3 { held.removeFirst() }
      }
    } catch {
      return false
    }
    return outcome != .ended
  }

  private static func freeDescriptor() -> Int32 {
    let descriptor = dup(0)
    close(descriptor)
    return descriptor
  }
}
