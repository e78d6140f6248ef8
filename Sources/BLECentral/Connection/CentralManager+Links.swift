// SPDX-License-Identifier: MIT

/// The manager's part of the operations on links.
extension CentralManager {
  func connect(_ devicePath: String, _ operation: Operation) async throws(BLEError) -> LinkOrigin {
    try await LinkOpener(device: sessions.device(devicePath), operation: operation).connect(in: self)
  }

  func releaseLink(of devicePath: String, within limit: Duration? = nil) async {
    guard let device = sessions.devices[devicePath] else { return }
    await LinkCloser(device: device).release(within: limit, in: self)
  }

  func keepLink(of devicePath: String) { sessions.devices[devicePath]?.lock.mark(isOurs: false) }

  /// Connects, runs `body`, and releases the link.
  ///
  /// - Parameters:
  ///   - peripheral: the device.
  ///   - timeout: for connecting; nil is without limit.
  ///   - body: what is done while connected.
  /// - Returns: what `body` returns.
  /// - Throws: ``BLEError`` when the connection cannot be made, and what `body` throws.
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

  /// Connects to a device that was lost, however long it stays away.
  ///
  /// The manager waits for bluetoothd, for the adapter to be on, and for the device. Between attempts to connect it
  /// listens for the device in growing pauses, which end when the device is heard. Each pause starts a new scan, in
  /// place of one that may have gone quiet.
  ///
  /// BlueZ: what ``scan(_:mode:reportsDuplicates:)`` and ``Peripheral/connect(timeout:)`` do, in turns.
  ///
  /// - Parameters:
  ///   - address: the device's address.
  ///   - policy: the pauses, and when to give up.
  /// - Returns: the device, as it is known now, connected and with its services.
  /// - Throws: ``BLEError``: `busUnavailable` (make a new manager), `cancelled`, `bondLostByPeer`, `deviceBlocked`, or why
  ///   the last attempt failed when the limit of the policy is reached.
  public func reconnect(
    to address: BluetoothAddress, policy: ReconnectPolicy = ReconnectPolicy()
  ) async throws(BLEError) -> PeripheralInfo {
    try await Reconnection(address, policy).run(in: self)
  }
}
