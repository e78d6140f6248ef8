// SPDX-License-Identifier: MIT
internal import CDBus
internal import Glibc

/// A signal that is sent again and again with other bytes in one place of its body.
///
/// It is built once; after that it is copied as a whole, and only the bytes are exchanged. Appending value by value
/// through libdbus costs many times as much, which counts for a service that emits tens of thousands of signals a
/// second.
package struct SignalTemplate {
  private let original: Message
  /// How far behind the first text of the body the bytes stand.
  private let distance: Int
  /// How many bytes have room.
  package let count: Int

  /// Prepares the signal that `make` builds around any bytes, `count` of them; its first argument is a text.
  ///
  /// - Returns: nil when the bytes cannot be told from the rest: there are none, or they stand there more than once.
  package init?(count: Int, _ make: ([UInt8]) -> Message) {
    let original = make(Array(repeating: 0, count: count))
    guard count > 0, let low = SignalTemplate.marshal(original),
      let high = SignalTemplate.marshal(make(Array(repeating: 255, count: count))), low.count == high.count,
      let text = SignalTemplate.firstText(of: original.raw), original.signature.hasPrefix("s")
    else { return nil }
    let differing = low.indices.filter { low[$0] != high[$0] }
    guard differing.count == count, let first = differing.first, differing.last == first + count - 1 else {
      return nil
    }
    // The body is the end of the message, and begins with the length of the text, four bytes.
    let body = low.count - SignalTemplate.bodyLength(of: low)
    distance = first - body - MemoryLayout<UInt32>.size
    guard distance > strlen(text) else { return nil }
    self.original = original
    self.count = count
  }

  /// The signal with these bytes; nil when they are not as many as there is room for.
  package func signal(with bytes: [UInt8]) -> Message? {
    guard bytes.count == count, let raw = dbus_message_copy(original.raw) else { return nil }
    let copy = Message(adopting: raw)
    // A copy that was not sent yet is ours alone: nobody sees that its bytes change.
    guard let text = SignalTemplate.firstText(of: raw) else { return nil }
    UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: text + distance), count: count)
      .copyBytes(from: bytes)
    return copy
  }

  /// The first argument, where it stands in the body.
  private static func firstText(of raw: OpaquePointer) -> UnsafePointer<CChar>? {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(raw, &iterator) != 0,
      dbus_message_iter_get_arg_type(&iterator) == Int32(TypeCode.string)
    else { return nil }
    var text: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &text)
    return text
  }

  private static func marshal(_ message: Message) -> [UInt8]? {
    dbus_message_set_serial(message.raw, 1)  // libdbus marshals nothing without one
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(message.raw, &bytes, &count) != 0, let bytes else { return nil }
    defer { dbus_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// What the header says of the length of the body.
  private static func bodyLength(of message: [UInt8]) -> Int {
    let length = message.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
    return Int(message[0] == UInt8(ascii: "B") ? UInt32(bigEndian: length) : UInt32(littleEndian: length))
  }
}
