// SPDX-License-Identifier: MIT

/// Handles the writes of an attribute.
///
/// The time limit of ``ReadHandler`` applies. A characteristic with the property `writeWithoutResponse`
/// cannot refuse: BlueZ itself answers its write requests, with success.
public enum WriteHandler: Sendable {
  /// The bytes become the value in memory.
  case store
  /// A function on the manager's event loop, which must not block. The value in memory does not change.
  case immediate(@Sendable (WriteRequest) throws(ATTError) -> Void)
  /// An asynchronous function, limited to 500 ms; then the central gets ATT 0x0e. The value in memory does
  /// not change.
  case deferred(@Sendable (WriteRequest) async throws(ATTError) -> Void)
  /// A function on the manager's event loop, which must not block. It passes the answer object to code that
  /// answers within 500 ms. The value in memory does not change.
  case pending(@Sendable (WriteRequest, PendingAnswer<Void>) -> Void)
}

/// A central's request to write an attribute.
///
/// BlueZ does not report whether the central waits for a response.
public struct WriteRequest: Sendable {
  /// The central that writes.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The bytes.
  public let value: [UInt8]
  /// The position of the bytes in the value, usually 0.
  ///
  /// A long write in order arrives as one request. Prepared writes to several attributes arrive one after
  /// another: if one is refused, earlier ones stay written. BlueZ offers no transaction.
  public let offset: Int
  /// The ATT MTU of the link.
  public let mtu: Int
}
