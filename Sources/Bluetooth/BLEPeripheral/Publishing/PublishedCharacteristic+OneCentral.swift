// SPDX-License-Identifier: MIT

/// Sending values to a single central.
extension PublishedCharacteristic {
  /// The centrals that ``update(_:for:)`` reaches: subscribed ones with a separate socket.
  ///
  /// Empty before BlueZ 5.76, and without ``UpdateTransport/acquireNotify``. Centrals that subscribed without
  /// a socket are unknown.
  public var individualCentrals: [Central] { get async { await manager.individualCentrals(of: self) } }

  /// Sends a value to a single central.
  ///
  /// This does not change ``value``, which all centrals read. Values for one central and for all keep their
  /// order.
  ///
  /// This needs BlueZ 5.76 or later, and ``UpdateTransport/acquireNotify``. A socket holds some 250 values of
  /// 20 bytes; then there is no room until bluetoothd has read some.
  ///
  /// BlueZ: a packet over the socket that `AcquireNotify` requested with this central as its `device`.
  ///
  /// - Parameters:
  ///   - value: the value, 1 to 512 bytes.
  ///   - central: one of ``individualCentrals``.
  /// - Returns: whether there was room; if not, nothing was sent, and ``PeripheralEvent/Kind/isReady(_:)``
  ///   follows.
  /// - Throws: ``BLEError``: `notSupported` if one socket reaches every central, or there are none;
  ///   `notFound` if the central has no socket, or the service was removed; `invalidLength`.
  @discardableResult
  public func update(_ value: [UInt8], for central: Central) async throws(BLEError) -> Bool {
    try await manager.update(self, to: value, for: central)
  }

  /// Does the same as ``update(_:for:)``, but waits for room.
  ///
  /// - Parameters:
  ///   - value: the value, 1 to 512 bytes.
  ///   - central: one of ``individualCentrals``.
  ///   - timeout: how long to wait for room; nil sets no limit.
  /// - Throws: ``BLEError``: also `timedOut` or `cancelled`.
  public func send(
    _ value: [UInt8], for central: Central, timeout: Duration? = .seconds(40)
  ) async throws(BLEError) {
    try await manager.send(value, from: self, for: central, timeout: timeout)
  }
}
