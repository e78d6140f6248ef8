// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

/// Following bluetoothd: its adapters and devices, its end and its return.
extension PeripheralManager {
  func start(_ deadline: Deadline) async throws(BLEError) {
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.loseBus() } }
    let rules = [
      MatchRule(sender: BlueZ.service, interface: StandardInterface.objectManager, path: "/"),
      MatchRule(
        sender: BlueZ.service, interface: StandardInterface.properties, member: "PropertiesChanged",
        pathNamespace: BlueZ.rootPath),
      MatchRule(
        sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
        firstArgument: BlueZ.service),
    ]
    for rule in rules {
      _ = await connection.subscribe(rule) { [weak self] message in
        self?.assumeIsolated { $0.receive(message) }
      }
    }
    try await learn(deadline)
  }

  /// Reads the objects: at the start, and when bluetoothd has come back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    let call = Message(
      call: "GetManagedObjects", of: StandardInterface.objectManager, at: "/", to: BlueZ.service)
    do {
      // Applied at its place in the message stream: a signal behind the reply must find the objects in place.
      try await connection.call(call, timeout: deadline.remaining) { [weak self] outcome in
        guard let self, case .success(let reply) = outcome else { return }
        assumeIsolated { $0.apply(reply) }
      }
    } catch {
      let failure = BLEError(error, operation: "talk to the Bluetooth service")
      guard failure.code == .serviceUnavailable else { throw failure }
      outage = failure
    }
    stateMayHaveChanged()
    restore()
  }

  private func apply(_ reply: Message) {
    outage = nil
    owner = reply.sender
    objects.replace(with: reply.values.first)
  }

  private func receive(_ message: Message) {
    guard let owner, message.isSent(by: owner) else {
      if message.isSent(by: BusDriver.name) { nameOwnerChanged(message) }
      return
    }
    for change in objects.take(message) { follow(change) }
  }

  private func follow(_ change: BlueZObjects.Change) {
    switch change {
    case .adapter:
      stateMayHaveChanged()
      restore()
    case .adapterRemoved(let path):
      forgetRegistrations { $0.adapterPath == path }
      stateMayHaveChanged()
      restore()
    case .connected(let device):
      follow(device)
      if isOnUsedAdapter(device), let central = device.central { report(.connected(central)) }
    case .disconnected(let device):
      for publication in publications.values {
        for attribute in publication.attributes.values { attribute.longReads[device.path] = nil }
      }
      follow(device)
      if isOnUsedAdapter(device), let central = device.central { report(.disconnected(central)) }
    }
  }

  private func isOnUsedAdapter(_ device: BlueZObjects.Device) -> Bool {
    usedAdapter?.path == BlueZ.adapterPath(ofDevice: device.path)
  }

  // MARK: Outages

  private func nameOwnerChanged(_ message: Message) {
    let arguments = message.values.compactMap(\.text)
    guard arguments.count == 3, arguments[0] == BlueZ.service else { return }
    if arguments[2].isEmpty {
      guard outage == nil else { return }
      lose(
        BLEError(
          .serviceUnavailable, operation: "go on", message: "the Bluetooth service (bluetoothd) ended"))
    } else if arguments[2] != owner {
      Task(executorPreference: loop) { [weak self] in try? await self?.learn(Deadline(after: .seconds(20))) }
    }
  }

  private func loseBus() {
    let error = BLEError(.busUnavailable, operation: "go on", message: "the connection to the bus is lost")
    lose(error)
    endEvents(error)
  }

  /// Ends everything that depends on bluetoothd; what is published and advertised is remembered.
  func lose(_ error: BLEError) {
    let centrals = connectedCentrals
    outage = error
    owner = nil
    objects = BlueZObjects()
    for central in centrals { report(.disconnected(central)) }
    forgetRegistrations { _ in true }
    for request in openRequests.values { request.abandon(on: loop) }
    openRequests = [:]
    connection.assumeIsolated { $0.abandonCalls(under: BlueZ.rootPath, because: error.message) }
    stateMayHaveChanged()
  }

  private func forgetRegistrations(_ isLost: (Registration) -> Bool) {
    for publication in publications.values where publication.registration.map(isLost) ?? false {
      let subscribed = (publication.characteristics + publication.includedCharacteristics)
        .filter(\.isSubscribed)
      publication.lost()
      withdraw(publication.root)
      for attribute in subscribed { report(.unsubscribed(handle(for: attribute, in: publication))) }
    }
    for advertiser in advertisers.values where advertiser.registration.map(isLost) ?? false {
      advertiser.registration = nil
      withdraw(advertiser.root)
    }
  }

  // MARK: The end

  /// Stops advertising, withdraws the services, and leaves the bus.
  ///
  /// BlueZ keeps the links: centrals see the services disappear. The manager cannot be used afterwards.
  public func close() async {
    await inBackground { await $0.shutDown() }.value  // also when the task was cancelled
  }

  private func shutDown() async {
    for request in openRequests.values { request.finish(with: .unlikelyError, in: self) }
    openRequests = [:]
    if let retryTimer { loop.cancel(retryTimer) }
    retryTimer = nil
    for advertiser in advertisers.values { postEnd(of: advertiser) }
    for publication in publications.values { postEnd(of: publication) }
    await connection.closeBehindAll()
    let error = BLEError(.cancelled, operation: "go on", message: "the manager is closed")
    (publications, advertisers) = ([:], [:])
    lose(error)
    endEvents(error)
  }
}
