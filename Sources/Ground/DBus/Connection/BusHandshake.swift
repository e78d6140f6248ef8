// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CDBus
internal import Glibc

/// Connects to a bus through libdbus, with any address and authentication that it supports, and says Hello.
///
/// The bus replies to Hello and signals NameAcquired, in either order, and sends nothing more before we ask.
/// Once both have arrived, libdbus holds no unread bytes, and ``BusSocket`` takes over the socket. From then
/// on libdbus neither reads nor validates anything. Confined to the loop's thread.
final class BusHandshake {
  /// Our name on the bus, or why we got none.
  let outcome = Promise<Result<String, DBusError>>()

  private let raw: OpaquePointer
  private var helloSerial: UInt32 = 0
  private var name: String?
  private var isNameAcquired = false
  private var watches: ConnectionWatches?
  /// True if the other side has begun to authenticate us, as a bus does.
  private var isBus = false

  init(_ raw: OpaquePointer, on loop: EventLoop) {
    self.raw = raw
    let watches = ConnectionWatches(
      loop: loop, beforeReading: { [weak self] in self?.isOfBus($0) ?? true },
      afterIO: { [weak self] in self?.receive() })
    self.watches = watches
    watches.attach(to: raw)
    let hello = dbus_message_new_method_call(BusDriver.name, BusDriver.path, BusDriver.interface, "Hello")
    precondition(hello != nil, "no memory for a message")
    let isSent = dbus_connection_send(raw, hello, &helloSerial) != 0
    // If the connection ended before the watches were added, no event reports it.
    if !isSent || dbus_connection_get_is_connected(raw) == 0 { finish(.failure(.disconnected)) }
    dbus_message_unref(hello)
  }

  /// Stops listening; the caller still owns the connection.
  func finish(_ result: Result<String, DBusError>) {
    watches?.detach(from: raw)
    watches = nil
    outcome.fulfil(result)
  }

  /// Looks at the first bytes before libdbus takes them: a program on the way, such as a login, may have printed text, which
  /// would make libdbus wait, or hang up without a reason.
  private func isOfBus(_ descriptor: Int32) -> Bool {
    if isBus { return true }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    guard count > 0 else { return true }
    let first = bytes[..<count].prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let text = String(decoding: first, as: UTF8.self)
    isBus = BusHandshake.answers.contains { text.hasPrefix($0) || $0.hasPrefix(text) && first.count == count }
    if !isBus { finish(.failure(.text(text))) }
    return isBus
  }

  /// The first words of an answer to our authentication.
  private static let answers = ["OK", "REJECTED", "ERROR", "DATA"]

  private func receive() {
    while watches != nil, let message = dbus_connection_pop_message(raw) {
      defer { dbus_message_unref(message) }
      let type = dbus_message_get_type(message)
      if type == DBUS_MESSAGE_TYPE_METHOD_RETURN || type == DBUS_MESSAGE_TYPE_ERROR,
        dbus_message_get_reply_serial(message) == helloSerial
      {
        guard type == DBUS_MESSAGE_TYPE_METHOD_RETURN else { return finish(.failure(refusal(message))) }
        guard let text = text(message), !text.isEmpty else { return finish(.failure(.nameless)) }
        name = text
      } else if dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
        finish(.failure(.disconnected))
      } else if dbus_message_is_signal(message, BusDriver.interface, "NameAcquired") != 0 {
        isNameAcquired = true
      }
      if let name, isNameAcquired { finish(.success(name)) }
    }
  }

  private func text(_ message: OpaquePointer) -> String? {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0,
      dbus_message_iter_get_arg_type(&iterator) == Int32(TypeCode.string)
    else { return nil }
    var text: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &text)
    return text.map { String(cString: $0) }
  }

  private func refusal(_ message: OpaquePointer) -> DBusError {
    DBusError(
      .reply, name: dbus_message_get_error_name(message).map { String(cString: $0) } ?? ErrorName.failed,
      message: text(message) ?? "")
  }
}

extension DBusError {
  /// Text came instead of an answer of the bus.
  fileprivate static func text(_ text: String) -> DBusError {
    DBusError(.disconnected, name: ErrorName.inconsistentMessage, message: "it prints text: '\(text)'")
  }

  fileprivate static let nameless = DBusError(
    .reply, name: ErrorName.failed, message: "the bus gave us no name")
}
