// SPDX-License-Identifier: MIT

/// Values for one central alone.
extension PublishedCharacteristic {
  /// The centrals that ``update(_:for:)`` reaches: those that have subscribed, and have a socket of their own.
  ///
  /// Empty before BlueZ 5.76, and without ``UpdateTransport/acquireNotify``. Who has subscribed without a socket is unknown.
  public var individualCentrals: [Central] { get async { await manager.individualCentrals(of: self) } }

  /// Sends a value to one central alone.
  ///
  /// ``value`` stays as it is: it is what every central reads. Values for one central and for all keep their order.
  ///
  /// This needs BlueZ 5.76 or later, and ``UpdateTransport/acquireNotify``. A socket holds some 250 values of 20 bytes; then
  /// there is no room until bluetoothd has taken some.
  ///
  /// BlueZ: a packet over the socket that `AcquireNotify` has asked for with this central as its `device`.
  ///
  /// - Parameters:
  ///   - value: the value, 1 to 512 bytes.
  ///   - central: one of ``individualCentrals``.
  /// - Returns: whether there was room; if not, nothing was sent, and ``PeripheralEvent/Kind/isReady(_:)`` follows.
  /// - Throws: ``BLEError``: `notSupported` where a socket reaches every central, or there are none; `notFound` when the
  ///   central has no socket, or the service was removed; `invalidLength`.
  @discardableResult
  public func update(_ value: [UInt8], for central: Central) async throws(BLEError) -> Bool {
    try await manager.update(self, to: value, for: central)
  }

  /// Does the same as ``update(_:for:)``, but waits for room.
  ///
  /// - Parameters:
  ///   - value: the value, 1 to 512 bytes.
  ///   - central: one of ``individualCentrals``.
  ///   - timeout: how long to wait for room; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut` or `cancelled`, too.
  public func send(
    _ value: [UInt8], for central: Central, timeout: Duration? = .seconds(40)
  ) async throws(BLEError) {
    try await manager.send(value, from: self, for: central, timeout: timeout)
  }
}
