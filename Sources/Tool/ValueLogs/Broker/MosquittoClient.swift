// SPDX-License-Identifier: MIT
internal import CPlatform

/// A client of libmosquitto, which is loaded at the first use.
///
/// It is Sendable because one thread at a time uses it: the one that connects, and after its end the one that publishes and
/// receives.
final class MosquittoClient: @unchecked Sendable {
  private let handle: OpaquePointer

  /// The maximum number of messages that wait for their acknowledgement.
  static let window = Int(CMOSQUITTO_WINDOW)
  /// The ping interval in seconds; the broker gives up after one and a half times as long.
  private static let keepAlive: Int32 = 30

  /// - Parameter identifier: its name at the broker.
  /// - Throws: that the library cannot be loaded.
  init(identifier: String) throws(BrokerFailure) {
    if let reason = cmosquitto_load() {
      throw BrokerFailure(.library, "libmosquitto is not installed (\(String(cString: reason)))")
    }
    guard let handle = cmosquitto_new(identifier) else { throw BrokerFailure(.library, "out of memory") }
    self.handle = handle
  }

  /// Creates a client with a name of its own, which identifies and encrypts as the address and the credentials say.
  convenience init(to address: BrokerAddress, _ credentials: BrokerCredentials) throws(BrokerFailure) {
    try self.init(identifier: "blectl-" + String(UInt64.random(in: .min ... .max), radix: 36))
    if let user = address.user { try set(user: user, password: credentials.password) }
    if address.isEncrypted { try useTLS(authorities: credentials.authorities) }
  }

  deinit { cmosquitto_free(handle) }

  // MARK: Before it is connected

  func set(user: String, password: String?) throws(BrokerFailure) {
    try check(cmosquitto_set_user(handle, user, password))
  }

  /// Sets the retained message that the broker publishes when the connection ends without a disconnect.
  func setWill(topic: String, payload: [UInt8]) throws(BrokerFailure) {
    try check(payload.withUnsafeBytes { cmosquitto_set_will(handle, topic, $0.baseAddress, $0.count) })
  }

  /// Encrypts the connection; `authorities` is a file with their certificates; nil uses the system's.
  func useTLS(authorities: String?) throws(BrokerFailure) {
    guard cmosquitto_use_tls(handle, authorities) != CMOSQUITTO_OK else { return }
    throw BrokerFailure(.untrusted, "cannot read certificates from \(authorities ?? "the system")")
  }

  // MARK: The connection

  /// Connects or reconnects; blocks while a host does not answer.
  func connect(to address: BrokerAddress) throws(BrokerFailure) {
    try check(cmosquitto_connect(handle, address.host, Int32(address.port), MosquittoClient.keepAlive))
  }

  /// Waits for the socket, then reads, writes and keeps the connection alive.
  func loop(milliseconds: Int) throws(BrokerFailure) {
    try check(cmosquitto_loop(handle, Int32(milliseconds)))
  }

  var isAccepted: Bool { Int(cmosquitto_answer(handle)) == CMOSQUITTO_ACCEPTED }

  /// Publishes with QoS 1, again over the next connection if unacknowledged; returns the message's number.
  func publish(topic: String, payload: ArraySlice<UInt8>, isRetained: Bool) throws(BrokerFailure) -> Int32 {
    var number: Int32 = 0
    let status = payload.withUnsafeBytes {
      cmosquitto_publish(handle, &number, topic, $0.baseAddress, $0.count, isRetained)
    }
    // The message is kept unless it is invalid, and none is: the prefix of all topics was checked by the parser of its URL,
    // and what follows is made of addresses, UUIDs, and words of letters and digits. The loop notices that the connection is
    // gone.
    if ![CMOSQUITTO_LOST, CMOSQUITTO_NO_CONNECTION, CMOSQUITTO_ERRNO].contains(Int(status)) {
      try check(status)
    }
    return number
  }

  /// The number of a message that the broker has acknowledged since; nil if there is none.
  func nextAcknowledged() -> Int32? {
    var number: Int32 = 0
    return cmosquitto_next_acknowledged(handle, &number) ? number : nil
  }

  /// Subscribes with QoS 1, until the connection ends.
  func subscribe(to topic: String) throws(BrokerFailure) { try check(cmosquitto_subscribe(handle, topic)) }

  /// True if the broker has refused a subscription of this connection.
  var isSubscriptionRefused: Bool { cmosquitto_is_subscription_refused(handle) }

  /// The oldest received message that was not taken; nil if there is none.
  func nextMessage() -> ReceivedMessage? {
    var message = cmosquitto_message()
    guard cmosquitto_next_message(handle, &message) else { return nil }
    defer { cmosquitto_free_message(&message) }
    return ReceivedMessage(
      topic: message.topic.map { String(cString: $0) } ?? "",
      payload: message.is_too_long
        ? nil : Array(UnsafeRawBufferPointer(start: message.payload, count: message.count)),
      isRetained: message.is_retained)
  }

  /// Returns the number of messages that were received since the last call, and not kept.
  func takeMissed() -> Int { cmosquitto_take_missed(handle) }

  /// The socket of the connection; nil without one.
  var socket: Int32? {
    let descriptor = cmosquitto_socket(handle)
    return descriptor < 0 ? nil : descriptor
  }

  /// True if something waits until the socket can be written.
  var wantsWrite: Bool { cmosquitto_wants_write(handle) }

  /// Disconnects properly: the broker does not publish the will.
  func disconnect() { cmosquitto_disconnect(handle) }

  private func check(_ status: Int32) throws(BrokerFailure) {
    switch Int(status) {
    case CMOSQUITTO_OK: return
    case CMOSQUITTO_REFUSED: throw refusal
    case CMOSQUITTO_LOST: throw BrokerFailure(.unreachable, "the connection was lost")
    case CMOSQUITTO_SILENT: throw BrokerFailure(.unreachable, "the broker does not answer")
    case CMOSQUITTO_UNKNOWN_HOST: throw BrokerFailure(.unknownHost, reason(status))
    case CMOSQUITTO_TLS: throw BrokerFailure(tlsKind, reason(status))
    default: throw BrokerFailure(.unreachable, reason(status))
    }
  }

  /// The kind of an encryption failure; without a wrong certificate, the connection failed.
  private var tlsKind: BrokerFailure.Kind {
    switch Int(cmosquitto_tls_fault(handle)) {
    case CMOSQUITTO_TLS_UNTRUSTED: .untrusted
    case CMOSQUITTO_TLS_MISNAMED: .misnamed
    default: .unreachable
    }
  }

  private func reason(_ status: Int32) -> String {
    let words = String(cString: cmosquitto_reason(handle, status))
    // "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
    let last = words.contains("error:") ? words.split(separator: ":").last.map(String.init) ?? words : words
    return last.hasSuffix(".") ? String(last.dropLast()) : last
  }

  private var refusal: BrokerFailure {
    switch Int(cmosquitto_answer(handle)) {
    case CMOSQUITTO_BUSY: BrokerFailure(.unreachable, "the broker is not available")
    case CMOSQUITTO_BAD_PASSWORD: BrokerFailure(.denied, "bad user name or password")
    case CMOSQUITTO_NOT_AUTHORISED: BrokerFailure(.denied, "not authorised")
    default: BrokerFailure(.denied, "the broker refuses the connection")
    }
  }
}
