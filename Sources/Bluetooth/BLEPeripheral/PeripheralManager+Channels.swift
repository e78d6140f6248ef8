// SPDX-License-Identifier: MIT
internal import AsyncIO
public import BlueZClient
internal import DBus

/// The L2CAP channels of this machine.
extension PeripheralManager {
  /// Offers an L2CAP channel, which connected centrals can open.
  ///
  /// Centrals learn its number from you, usually by a characteristic (`ABDD3056-28FA-441D-A470-55A75A52553A`).
  ///
  /// BlueZ: none of its calls. The channel is a socket of the kernel (`AF_BLUETOOTH`); a simulated bluetoothd passes
  /// one that imitates it.
  ///
  /// ```swift
  /// let offer = try await manager.publishChannel(security: .encrypted)
  /// while let channel = try await offer.accept() {
  ///   while let packet = try await channel.receive() { try await channel.send(packet) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - psm: its number, 1 to 255; 0 takes a free one from 128 on. Those below 128 need the capability
  ///     `CAP_NET_BIND_SERVICE`.
  ///   - security: how secure links must be on which it is opened.
  ///   - timeout: how long bluetoothd may take; nil sets no limit.
  /// - Returns: the offer.
  /// - Throws: ``BLEError``: `noAdapter`; `notSupported` if the kernel has no Bluetooth sockets, or the bus is that of
  ///   another host; `busy` if another program uses the number; `accessDenied`, `serviceUnavailable` …
  public func publishChannel(
    psm: UInt16 = 0, security: L2CAPSecurity = .none, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> PublishedChannel {
    let operation = Operation(.publishChannel(psm: psm), timeout: timeout)
    guard psm <= 255 else { throw operation.error(.invalidDefinition, "a PSM is 1 to 255") }
    guard client.connection.isDirect else {
      throw operation.error(.notSupported, "channels cannot cross the program that leads to the bus")
    }
    guard let adapter = registrar.adapter(in: client.model), let address = BluetoothAddress(adapter.address)
    else {
      throw operation.error(.noAdapter, "there is no Bluetooth adapter")
    }
    if client.bus.mayBeSimulated,
      let channel = try await publishSimulated(psm, security, on: adapter, operation)
    {
      return channel
    }
    let (descriptor, number) = try L2CAPSocket.listen(
      on: L2CAPSocket.Address(address, isRandom: false), psm: psm, security, during: operation.action)
    return PublishedChannel(adopting: descriptor, psm: number, on: loop)
  }

  /// Offers a channel of a simulated adapter; returns nil if bluetoothd is a real one.
  private func publishSimulated(
    _ psm: UInt16, _ security: L2CAPSecurity, on adapter: AdapterState, _ operation: Operation
  ) async throws(BLEError) -> PublishedChannel? {
    do {
      let answer = try await client.call(
        L2CAPSocket.publishCall(by: adapter.path, psm: psm, security), for: operation)
      let (descriptor, number) = try L2CAPSocket.socket(in: answer, during: operation.action)
      return PublishedChannel(adopting: descriptor, psm: number, on: loop)
    } catch {
      guard L2CAPSocket.isOfRealDaemon(error) else { throw error }
      return nil
    }
  }
}
