// SPDX-License-Identifier: MIT
internal import CDBus

/// A signal that is sent again and again with other bytes in one place of its body.
///
/// It is marshalled once; after that only the bytes are exchanged. Appending value by value through libdbus costs
/// more than twice as much, which counts for a service that emits tens of thousands of signals a second.
package struct SignalTemplate {
  private var marshalled: [UInt8]
  private let place: Range<Int>

  /// Prepares the signal that `make` builds around any bytes, `count` of them.
  ///
  /// - Returns: nil when the bytes cannot be told from the rest: there are none, or they stand there more than once.
  package init?(count: Int, _ make: ([UInt8]) -> Message) {
    guard count > 0, let low = SignalTemplate.marshal(make(Array(repeating: 0, count: count))),
      let high = SignalTemplate.marshal(make(Array(repeating: 255, count: count))), low.count == high.count
    else { return nil }
    let differing = low.indices.filter { low[$0] != high[$0] }
    guard differing.count == count, let first = differing.first, differing.last == first + count - 1 else {
      return nil
    }
    marshalled = low
    place = first..<(first + count)
  }

  /// How many bytes have room.
  package var count: Int { place.count }

  /// The signal with these bytes; nil when they are not as many as there is room for.
  package mutating func signal(with bytes: [UInt8]) -> Message? {
    guard bytes.count == place.count else { return nil }
    let place = place
    return marshalled.withUnsafeMutableBytes { buffer in
      UnsafeMutableRawBufferPointer(rebasing: buffer[place]).copyBytes(from: bytes)
      guard let raw = dbus_message_demarshal(buffer.baseAddress, Int32(buffer.count), nil) else { return nil }
      dbus_message_set_serial(raw, 0)  // so that the connection gives it one
      return Message(adopting: raw)
    }
  }

  private static func marshal(_ message: Message) -> [UInt8]? {
    dbus_message_set_serial(message.raw, 1)  // libdbus marshals nothing without one
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(message.raw, &bytes, &count) != 0, let bytes else { return nil }
    defer { dbus_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
