// SPDX-License-Identifier: MIT

/// Answers the reads of an attribute.
///
/// A central that disconnects while a request is open crashes bluetoothd (seen with 5.66 and 5.87). Answers
/// must therefore come at once: from memory, or from a handler that only computes. Do longer work elsewhere,
/// and store its result with ``PublishedCharacteristic/update(_:)``.
public enum ReadHandler: Sendable {
  /// The value in memory: the initial one, or the last one written or updated.
  case value
  /// A function on the manager's event loop, which must not block. It returns the whole value at any offset.
  case immediate(@Sendable (ReadRequest) throws(ATTError) -> [UInt8])
  /// An asynchronous function, limited to 500 ms; then the central gets ATT 0x0e. It returns the whole value.
  case deferred(@Sendable (ReadRequest) async throws(ATTError) -> [UInt8])
  /// A function on the manager's event loop, which must not block. It passes the answer object to code that
  /// answers within 500 ms.
  case pending(@Sendable (ReadRequest, PendingAnswer<ReadAnswer>) -> Void)
}

/// A central's request to read an attribute.
public struct ReadRequest: Sendable {
  /// The central that reads.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The position in the value where the read starts, usually 0.
  ///
  /// The library cuts the value. Later parts of a long value come from the first answer, without a request.
  public let offset: Int
  /// The ATT MTU of the link: one response carries one byte less.
  public let mtu: Int
}

/// The answer to a central's read.
public enum ReadAnswer: Sendable, Hashable {
  /// The whole value at any offset of the request: the library cuts it.
  case whole([UInt8])
  /// The bytes from the offset of the request on.
  case rest([UInt8])
}
