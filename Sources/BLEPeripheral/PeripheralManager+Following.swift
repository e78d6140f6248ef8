// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// Following bluetoothd: its adapters and devices, its end and its return.
extension PeripheralManager {
  func follow(_ change: BlueZClient.Change) {
    switch change {
    case .objects(let changes): for change in changes { follow(change) }
    case .lost(_, let model): endEverything(in: model)
    case .everything: everythingChanged()
    }
  }

  private func follow(_ change: ObjectModel.Change) {
    switch change {
    case .adapter:
      stateMayHaveChanged()
      restore()
    case .adapterRemoved(let path):
      forgetRegistrations { $0.adapterPath == path }
      stateMayHaveChanged()
      restore()
    case .linkOpened(let path):
      if let device = model.devices[path] { linkOpened(to: device) }
    case .linkLost(let path):
      if let device = model.devices[path] { linkLost(to: device, isBonded: device.isBonded) }
    case .deviceRemoved(let device):
      // BlueZ forgets a device with its keys.
      if device.isConnected { linkLost(to: device, isBonded: false) }
    case .deviceAdded, .device, .attributes, .services, .attributeRemoved, .value: break
    }
  }

  private func linkOpened(to device: DeviceState) {
    recentCentrals.append(device.path)
    if isOnUsedAdapter(device), let central = Central(device) { report(.connected(central)) }
    followSubscriptions(of: device.path, isBonded: device.isBonded, isConnected: true)
  }

  private func linkLost(to device: DeviceState, isBonded: Bool) {
    recentCentrals.removeAll { $0 == device.path }
    for publication in publications.values {
      for attribute in publication.attributes.values { attribute.longReads[device.path] = nil }
    }
    followSubscriptions(of: device.path, isBonded: isBonded, isConnected: false)
    if isOnUsedAdapter(device), let central = Central(device) { report(.disconnected(central)) }
  }

  private func isOnUsedAdapter(_ device: DeviceState) -> Bool {
    usedAdapter?.path == BlueZ.adapterPath(ofDevice: device.path)
  }

  // MARK: Outages

  /// BlueZ has been asked for its objects, or is away.
  private func everythingChanged() {
    stateMayHaveChanged()
    // All were reported as disconnected when bluetoothd ended; a link may have survived that, or be new.
    recentCentrals = model.devices.connected.map(\.path)
    for central in connectedCentrals { report(.connected(central)) }
    restore()
    if let outage, outage.isFinal { endEvents(outage) }
  }

  /// Ends everything that depends on bluetoothd; what is published and advertised is remembered.
  ///
  /// - Parameter model: the objects until now.
  private func endEverything(in model: ObjectModel) {
    for central in connectedCentrals(in: model) { report(.disconnected(central)) }
    forgetRegistrations { _ in true }
    for request in openRequests.values { request.abandon(on: loop) }
    openRequests = [:]
  }

  private func forgetRegistrations(_ isLost: (Registration) -> Bool) {
    for publication in publications.values where publication.registration.map(isLost) ?? false {
      let subscribed = (publication.characteristics + publication.includedCharacteristics)
        .filter(\.isSubscribed)
      isIncomplete = true
      publication.lost()
      client.withdraw(publication.root)
      for attribute in subscribed { report(.unsubscribed(handle(for: attribute, in: publication))) }
    }
    for advertiser in advertisers.values where advertiser.registration.map(isLost) ?? false {
      isIncomplete = true
      advertiser.registration = nil
      client.withdraw(advertiser.root)
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
    for publication in publications.values { publication.lost() }
    (publications, advertisers) = ([:], [:])
    ending = BLEError.managerClosed.closing(after: outage)
    await client.leave(follower, because: .managerClosed)
  }
}
