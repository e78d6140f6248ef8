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
