// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

/// Following bluetoothd: its adapters and devices, its end and its return.
extension PeripheralManager {
  func start(_ deadline: Deadline) async throws(BLEError) {
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.loseBus() } }
    await connection.followBlueZ { [weak self] message in self?.assumeIsolated { $0.receive(message) } }
    try await learn(deadline)
  }

  /// Reads the objects: at the start, and when bluetoothd has come back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    let failure = try await connection.readBlueZObjects(timeout: deadline.remaining) { [weak self] reply in
      self?.assumeIsolated { $0.apply(reply) }
    }
    if let failure {
      outage = failure
      stateMayHaveChanged()
    }
    restore()
  }

  private func apply(_ reply: Message) {
    let earlier = connectedCentrals
    outage = nil
    owner = reply.sender
    objects.replace(with: reply.values.first)
    stateMayHaveChanged()
    // All were reported as disconnected when bluetoothd ended; a link may have survived that, or be new.
    for central in connectedCentrals where !earlier.contains(central) { report(.connected(central)) }
  }

  private func receive(_ message: Message) {
    guard let owner, message.isSent(by: owner) else {
      if let change = ServiceChange(message) { follow(change) }
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

  private func follow(_ change: ServiceChange) {
    switch change {
    case .ended:
      if outage == nil { lose(.serviceEnded) }
    case .began(let successor):
      guard successor != owner else { return }
      Task(executorPreference: loop) { [weak self, loop, logger] in
        await BlueZ.learnAgain(on: loop, logger: logger) { [weak self] deadline throws(BLEError) in
          try await self?.learn(deadline)
        }
      }
    }
  }

  private func loseBus() {
    lose(.busLost)
    endEvents(.busLost)
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
      isIncomplete = true
      publication.lost()
      withdraw(publication.root)
      for attribute in subscribed { report(.unsubscribed(handle(for: attribute, in: publication))) }
    }
    for advertiser in advertisers.values where advertiser.registration.map(isLost) ?? false {
      isIncomplete = true
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
    for publication in publications.values { publication.lost() }
    (publications, advertisers) = ([:], [:])
    let reason = BLEError.managerClosed.closing(after: outage)
    lose(reason)
    endEvents(reason)
  }
}
