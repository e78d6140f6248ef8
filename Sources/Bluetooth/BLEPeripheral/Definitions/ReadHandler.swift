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
