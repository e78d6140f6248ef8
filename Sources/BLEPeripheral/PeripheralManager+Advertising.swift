// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Advertising, several advertisements at once.
extension PeripheralManager {
  /// Starts to advertise, and returns when the advertisement is on the air.
  ///
  /// A legacy controller sends several advertisements in turn, and connectable ones only while its links permit. When the
  /// adapter is switched off and on, the advertisement comes back.
  ///
  /// BlueZ: `LEAdvertisingManager1.RegisterAdvertisement`.
  ///
  /// - Parameters:
  ///   - advertisement: what to advertise.
  ///   - timeout: how long BlueZ may take; nil is without limit.
  /// - Returns: the advertisement, to stop it.
  /// - Throws: ``BLEError``: `invalidDefinition` or `invalidLength` with what does not fit; `poweredOff`, `blocked`;
  ///   `notPermitted` when the adapter has no room for another one; `notSupported`, `serviceUnavailable`, `timedOut` …
  @discardableResult
  public func startAdvertising(
    _ advertisement: Advertisement, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> Advertising {
    let operation = Operation(.advertise, timeout: timeout)
    try AdvertisementCheck(advertisement: advertisement, operation: operation).check()
    let advertiser = Advertiser(advertisement, number: nextNumber())
    advertisers[advertiser.number] = advertiser
    do throws(BLEError) {
      try await register(advertiser, operation)
    } catch {
      advertisers[advertiser.number] = nil
      throw error
    }
    advertiser.isWanted = true
    return Advertising(number: advertiser.number, advertisement: advertisement)
  }

  /// Advertises from now on: at once if BlueZ can, else as soon as it can.
  ///
  /// What BlueZ refuses is reported as ``PeripheralEvent/Kind/failed(_:)``, and tried again.
  ///
  /// - Parameter advertisement: what to advertise, as far as it fits.
  /// - Returns: the advertisement, to stop it.
  package func keepAdvertising(_ advertisement: Advertisement) -> Advertising {
    let advertiser = Advertiser(advertisement, number: nextNumber())
    advertiser.isWanted = true
    advertisers[advertiser.number] = advertiser
    restore()
    return Advertising(number: advertiser.number, advertisement: advertisement)
  }

  /// Stops one advertisement, or all; BlueZ: `UnregisterAdvertisement`.
  ///
  /// Links stay.
  ///
  /// - Parameters:
  ///   - advertising: the advertisement; nil stops all. Nothing happens when it has ended already.
  ///   - timeout: how long BlueZ may take; nil is without limit.
  /// - Throws: ``BLEError``; the advertisement has ended all the same.
  public func stopAdvertising(
    _ advertising: Advertising? = nil, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) {
    let operation = Operation(.stopAdvertising, timeout: timeout)
    for number in advertising.map({ [$0.number] }) ?? advertisers.keys.sorted() {
      guard let advertiser = advertisers.removeValue(forKey: number) else { continue }
      advertiser.isWanted = false
      try await advertiser.turns.take(
        for: operation, on: loop, orFailWith: "BlueZ does not finish what was asked before")
      defer { advertiser.turns.release() }
      guard let registration = advertiser.registration else { continue }
      advertiser.registration = nil
      defer { client.withdraw(advertiser.root) }
      try await client.call(
        message("UnregisterAdvertisement", advertiser, at: registration.adapterPath), for: operation)
    }
  }

  /// The adapter that sends an advertisement: `hci0`.
  ///
  /// - Parameter advertising: the advertisement.
  /// - Returns: nil while none sends it: it has ended, or waits for BlueZ or the adapter.
  public func adapterName(of advertising: Advertising) -> String? {
    guard let path = advertisers[advertising.number]?.registration?.adapterPath,
      let adapter = model.adapters[path], adapter.isPowered
    else { return nil }
    return adapter.identifier
  }

  /// Registers an advertisement on the adapter in use, unless it is registered.
  func register(_ advertiser: Advertiser, _ operation: Operation) async throws(BLEError) {
    try await advertiser.turns.take(
      for: operation, on: loop, orFailWith: "BlueZ does not finish what was asked before")
    defer { advertiser.turns.release() }
    guard advertiser.registration == nil, advertisers[advertiser.number] != nil else { return }
    let adapter = try knownAdapter(for: operation.action)
    try adapter.requirePower(for: operation.action)
    guard adapter.managers.contains(.advertising), let owner else {
      throw operation.error(.notSupported, "the adapter \(adapter.identifier) cannot advertise")
    }
    client.export(served(advertiser, to: owner))
    do throws(BLEError) {
      try await client.call(
        message("RegisterAdvertisement", advertiser, at: adapter.path) { $0.properties([]) }, for: operation)
    } catch {
      // Behind the call: if bluetoothd still registers it after the deadline, this takes it back.
      postEnd(of: advertiser, at: adapter.path)
      throw error
    }
    advertiser.registration = Registration(owner: owner, adapterPath: adapter.path)
    report(
      .advertisingStarted(Advertising(number: advertiser.number, advertisement: advertiser.advertisement)))
  }

  private func served(_ advertiser: Advertiser, to owner: String) -> LocalObjects {
    let number = advertiser.number
    let object = LocalObject(
      path: advertiser.path, interface: BlueZ.advertisement, properties: advertiser.properties,
      // BlueZ sets the transmit power and the instance that it has chosen.
      take: { property, _ in ["TxPower", "Instance"].contains(property) },
      perform: { [weak self] method, call in
        guard method == "Release" else { return nil }
        self?.assumeIsolated { $0.released(number) }
        return .now(Message(replyTo: call))
      })
    return LocalObjects(root: advertiser.root, for: owner, [object])
  }

  /// BlueZ has ended an advertisement: its time is over, or the adapter or the daemon goes.
  private func released(_ number: Int) {
    guard let advertiser = advertisers[number] else { return }
    advertiser.registration = nil
    client.withdraw(advertiser.root)
    guard advertiser.advertisement.duration != nil else {
      isIncomplete = true
      return
    }
    advertisers[number] = nil
    report(.advertisingEnded(Advertising(number: number, advertisement: advertiser.advertisement)))
  }

  /// Ends an advertisement without waiting.
  func postEnd(of advertiser: Advertiser) {
    guard let adapter = advertiser.registration?.adapterPath ?? usedAdapter?.path else { return }
    postEnd(of: advertiser, at: adapter)
  }

  private func postEnd(of advertiser: Advertiser, at adapterPath: String) {
    if outage == nil {
      client.connection.post(message("UnregisterAdvertisement", advertiser, at: adapterPath))
    }
    client.withdraw(advertiser.root)
  }

  private func message(
    _ member: String, _ advertiser: Advertiser, at adapterPath: String,
    _ options: (inout MessageWriter) -> Void = { _ in }
  ) -> Message {
    Message(call: member, of: BlueZ.advertisingManager, at: adapterPath, to: BlueZ.service) { writer in
      writer.objectPath(advertiser.path)
      options(&writer)
    }
  }
}
