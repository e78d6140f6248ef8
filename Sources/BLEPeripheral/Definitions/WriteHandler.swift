// SPDX-License-Identifier: MIT

/// Who takes what is written to an attribute.
///
/// What applies to the time of ``ReadHandler`` applies here. A characteristic with the property `writeWithoutResponse`
/// cannot refuse: BlueZ answers its write requests itself, with success.
public enum WriteHandler: Sendable {
  /// The bytes become the value in memory.
  case store
  /// A function on the manager's event loop, which must not block. It keeps what it needs: the value in memory stays.
  case immediate(@Sendable (WriteRequest) throws(ATTError) -> Void)
  /// An asynchronous function, which has 500 ms; then the central gets ATT 0x0e. The value in memory stays.
  case deferred(@Sendable (WriteRequest) async throws(ATTError) -> Void)
  /// A function on the manager's event loop, which must not block, and passes the answer on to code that gives it within
  /// 500 ms. The value in memory stays.
  case pending(@Sendable (WriteRequest, PendingAnswer<Void>) -> Void)
}
