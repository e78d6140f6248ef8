// SPDX-License-Identifier: MIT
internal import CDBus

/// A D-Bus message.
///
/// Filled by one owner before it is sent, read-only from then on; libdbus counts its references atomically. That is
/// why it may cross threads.
package final class Message: @unchecked Sendable {
  /// What a message is.
  package enum Kind: Sendable {
    case methodCall, methodReturn, error, signal, unknown
  }

  let raw: OpaquePointer

  /// Takes over a reference.
  init(adopting raw: OpaquePointer) { self.raw = raw }

  /// Adds a reference.
  init(retaining raw: OpaquePointer) { self.raw = dbus_message_ref(raw) }

  deinit { dbus_message_unref(raw) }

  // MARK: Making

  /// A method call.
  ///
  /// The bus does not start the service for it: a missing one is an error at once.
  package convenience init(
    call member: String, of interface: String, at path: String, to destination: String,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    self.init(adopting: Message.made(dbus_message_new_method_call(destination, path, interface, member)))
    dbus_message_set_auto_start(raw, 0)
    write(body)
  }

  /// A signal.
  package convenience init(
    signal member: String, of interface: String, at path: String,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    self.init(adopting: Message.made(dbus_message_new_signal(path, interface, member)))
    write(body)
  }

  /// The reply to a method call.
  package convenience init(replyTo call: Message, _ body: (inout MessageWriter) -> Void = { _ in }) {
    self.init(adopting: Message.made(dbus_message_new_method_return(call.raw)))
    write(body)
  }

  /// The error reply to a method call.
  package convenience init(errorTo call: Message, name: String, text: String) {
    self.init(adopting: Message.made(dbus_message_new_error(call.raw, name, nil)))
    write { $0.string(text) }
  }

  /// libdbus gives no message when memory is exhausted, or when a name is not valid: a mistake of the caller.
  private static func made(_ raw: OpaquePointer?) -> OpaquePointer {
    guard let raw else { preconditionFailure("not a valid D-Bus name or path, or no memory") }
    return raw
  }

  private func write(_ body: (inout MessageWriter) -> Void) {
    var writer = MessageWriter(raw)
    body(&writer)
  }

  // MARK: Reading

  package var kind: Kind {
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
    case DBUS_MESSAGE_TYPE_ERROR: .error
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: .unknown
    }
  }

  package var path: String? { dbus_message_get_path(raw).map { String(cString: $0) } }
  package var interface: String? { dbus_message_get_interface(raw).map { String(cString: $0) } }
  package var member: String? { dbus_message_get_member(raw).map { String(cString: $0) } }
  package var sender: String? { dbus_message_get_sender(raw).map { String(cString: $0) } }
  package var destination: String? { dbus_message_get_destination(raw).map { String(cString: $0) } }
  package var errorName: String? { dbus_message_get_error_name(raw).map { String(cString: $0) } }
  package var signature: String { dbus_message_get_signature(raw).map { String(cString: $0) } ?? "" }
  package var serial: UInt32 { dbus_message_get_serial(raw) }
  package var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
  /// Whether the sender of this call waits for an answer.
  package var wantsReply: Bool { dbus_message_get_no_reply(raw) == 0 }

  /// Says that no answer is wanted: the bus then sends none, not even an error.
  package func expectNoReply() { dbus_message_set_no_reply(raw, 1) }

  /// Whether the body has this signature, without making a string of it.
  package func hasSignature(_ signature: StaticString) -> Bool {
    signature.withUTF8Buffer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { dbus_message_has_signature(raw, $0.baseAddress) != 0 }
    }
  }

  /// Reads the body.
  ///
  /// Nothing that points into the message may leave `read`.
  package func withBody<Result>(_ read: (inout WireReader) -> Result) -> Result {
    if dbus_message_get_serial(raw) == 0 { dbus_message_set_serial(raw, 1) }  // never sent: libdbus wants one
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0, let bytes, count >= 16 else {
      var empty = WireReader(UnsafeRawBufferPointer(start: nil, count: 0))
      return read(&empty)
    }
    defer { dbus_free(bytes) }
    let message = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    let isBigEndian = message[0] == UInt8(ascii: "B")
    let declared = message.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    let length = min(
      Int(isBigEndian ? UInt32(bigEndian: declared) : UInt32(littleEndian: declared)), Int(count))
    var reader = WireReader(
      UnsafeRawBufferPointer(rebasing: message[(message.count - length)...]), isBigEndian: isBigEndian)
    return read(&reader)
  }

  /// The body as values; empty when it cannot be read.
  package var values: [DBusValue] { withBody { $0.values(signature) } ?? [] }

  /// The descriptor that stands as argument number `index`, now the caller's.
  package func takeDescriptor(at index: Int) -> OwnedDescriptor? {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(raw, &iterator) != 0 else { return nil }
    for _ in 0..<index where dbus_message_iter_next(&iterator) == 0 { return nil }
    guard dbus_message_iter_get_arg_type(&iterator) == Int32(TypeCode.descriptor) else { return nil }
    var descriptor: Int32 = -1
    dbus_message_iter_get_basic(&iterator, &descriptor)
    return descriptor < 0 ? nil : OwnedDescriptor(adopting: descriptor)
  }
}
