// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The advertisements of this machine.
extension PeripheralManager {
  /// Starts advertising, and returns when the advertisement is on the air.
  ///
  /// A legacy controller sends several advertisements in turn, and connectable ones only while its links
  /// permit. When the adapter is switched off and on, advertising resumes.
  ///
  /// BlueZ: `LEAdvertisingManager1.RegisterAdvertisement`.
  ///
  /// - Parameters:
  ///   - advertisement: what to advertise.
  ///   - timeout: how long BlueZ may take; nil sets no limit.
  /// - Returns: the advertisement, for stopping it.
  /// - Throws: ``BLEError``: `invalidDefinition` or `invalidLength` with the part that does not fit;
  ///   `poweredOff`, `blocked`; `notPermitted` if the adapter cannot send another advertisement;
  ///   `notSupported`, `serviceUnavailable`, `timedOut` …
  @discardableResult
  public func startAdvertising(
    _ advertisement: Advertisement, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> Advertising {
    let operation = Operation(.advertise, timeout: timeout)
    try AdvertisementCheck(advertisement: advertisement, operation: operation).check()
    let advertiser = Advertiser(advertisement, of: registrar, client, events)
    try await registrar.add(advertiser, operation)
    return advertiser.advertising
  }

  /// Advertises from now on, or as soon as BlueZ can; parts that do not fit are left out.
  ///
  /// Errors of BlueZ are reported as ``PeripheralEvent/Kind/failed(_:)``, and the call is retried.
  package func keepAdvertising(_ advertisement: Advertisement) -> Advertising {
    let advertiser = Advertiser(advertisement, of: registrar, client, events)
    registrar.keep(advertiser)
    return advertiser.advertising
  }

  /// Changes what an advertisement sends while it is on the air.
  ///
  /// Links and subscriptions are not affected. An advertisement without connections has another address from then on,
  /// since the kernel chooses a random one each time that it sends new data: a sensor should be connectable.
  ///
  /// BlueZ: `PropertiesChanged` of our `LEAdvertisement1`, which has no reply.
  ///
  /// ```swift
  /// let sensor = BluetoothUUID(short: 0xfcd2)
  /// let advertising = try await manager.startAdvertising(Advertisement(serviceData: [sensor: [0x40, 1, 80]]))
  /// try await manager.update(advertising, to: Advertisement(serviceData: [sensor: [0x40, 1, 79]]))
  /// ```
  ///
  /// - Parameters:
  ///   - advertising: the advertisement; one that has ended is ignored.
  ///   - advertisement: the new contents.
  /// - Throws: ``BLEError``: `invalidDefinition` if it does not leave connectability, interval and duration as they are;
  ///   `invalidLength` with the part that does not fit.
  public func update(
    _ advertising: Advertising, to advertisement: Advertisement
  ) throws(BLEError) {
    let operation = Operation(.advertise, timeout: nil)
    try AdvertisementCheck(advertisement: advertisement, operation: operation).check()
    guard let advertiser = registrar[advertising.number] as? Advertiser else { return }
    let former = advertiser.advertisement
    guard advertisement.isConnectable == former.isConnectable, advertisement.interval == former.interval,
      advertisement.duration == former.duration
    else {
      throw operation.error(
        .invalidDefinition, "what is connectable, the interval and the duration cannot change on the air")
    }
    advertiser.change(to: advertisement)
  }

  /// Stops one advertisement, or all; BlueZ: `UnregisterAdvertisement`.
  ///
  /// Links stay open.
  ///
  /// - Parameters:
  ///   - advertising: the advertisement; nil stops all. One that has ended is ignored.
  ///   - timeout: how long BlueZ may take; nil sets no limit.
  /// - Throws: ``BLEError``; the advertisement has ended anyway.
  public func stopAdvertising(
    _ advertising: Advertising? = nil, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) {
    let operation = Operation(.stopAdvertising, timeout: timeout)
    let all = registrar.items(Advertiser.self).map(\.number)
    for number in advertising.map({ [$0.number] }) ?? all {
      try await registrar.remove(number, operation)
    }
  }

  /// Returns the name of the adapter that sends an advertisement, such as `hci0`.
  ///
  /// - Parameter advertising: the advertisement.
  /// - Returns: the name; nil if the advertisement has ended, or waits for BlueZ or the adapter.
  public func adapterName(of advertising: Advertising) -> String? {
    guard let path = registrar[advertising.number]?.registration?.adapterPath,
      let adapter = client.model.adapters[path], adapter.isPowered
    else { return nil }
    return adapter.identifier
  }
}
