// SPDX-License-Identifier: MIT

extension CentralManager {
  /// Connects, runs `body`, and releases the link.
  ///
  /// - Parameters:
  ///   - peripheral: the device.
  ///   - timeout: for connecting; nil sets no limit.
  ///   - body: runs while the device is connected.
  /// - Returns: the result of `body`.
  /// - Throws: ``BLEError`` if the connection cannot be made, and any error that `body` throws.
  public nonisolated func withConnection<Result: Sendable>(
    to peripheral: Peripheral, timeout: Duration? = .seconds(20),
    _ body: (Peripheral) async throws -> Result
  ) async throws -> Result {
    try await peripheral.connect(timeout: timeout)
    do {
      let result = try await body(peripheral)
      await peripheral.release()
      return result
    } catch {
      await peripheral.release()
      throw error
    }
  }

  /// Reconnects to a lost device, however long it stays away.
  ///
  /// The manager waits for bluetoothd, for the adapter to be on, and for the device. Between attempts to
  /// connect it scans for the device in growing pauses, which end when the device is heard. Each pause starts
  /// a new scan, since an earlier one may have stopped reporting.
  ///
  /// BlueZ: alternates between ``scan(_:mode:reportsDuplicates:)`` and ``Peripheral/connect(timeout:)``.
  ///
  /// - Parameters:
  ///   - address: the device's address.
  ///   - policy: the pauses, and when to give up.
  /// - Returns: the device as it is now, connected and with its services.
  /// - Throws: ``BLEError``: `busUnavailable` (make a new manager), `cancelled`, `bondLostByPeer`,
  ///   `deviceBlocked`, or the last attempt's error when the policy's limit is reached.
  public func reconnect(
    to address: BluetoothAddress, policy: ReconnectPolicy = ReconnectPolicy()
  ) async throws(BLEError) -> PeripheralInfo {
    try await reconnect(to: .address(address), last: address, policy: policy)
  }

  /// Reconnects to a lost device, whatever its private address is by now.
  ///
  /// - Parameters:
  ///   - key: what stays the same of the device.
  ///   - address: the address of its last link.
  ///   - policy: the pauses, and when to give up.
  /// - Returns: the device as it is now, connected and with its services.
  /// - Throws: ``BLEError`` as ``reconnect(to:policy:)`` does.
  package func reconnect(
    to key: DeviceKey, last address: BluetoothAddress, policy: ReconnectPolicy
  ) async throws(BLEError) -> PeripheralInfo {
    try await perform { (core) throws(BLEError) in
      try await Reconnection(in: core, key, last: address, policy).run()
    }
  }
}
