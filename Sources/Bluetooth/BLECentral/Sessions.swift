// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The manager's sessions with adapters, devices and attributes, by path; confined to the manager.
final class Sessions {
  var adapters: [String: AdapterSession] = [:]
  var devices: [String: DeviceSession] = [:]
  var attributes: [String: AttributeSession] = [:]
  unowned let core: CentralCore
  /// The links that this manager left to the one that replaces it, when it lost the bus.
  private var left = LeftLinks()
  private var followsLinkEnds = false

  /// The time that closing the manager waits for a link that is being opened or closed.
  private static let closingTime = Duration.seconds(1)

  init(_ core: CentralCore) { self.core = core }

  func adapter(_ path: String) -> AdapterSession {
    if let session = adapters[path] { return session }
    let session = AdapterSession(path: path, core: core)
    adapters[path] = session
    return session
  }

  func device(_ path: String) -> DeviceSession {
    if let session = devices[path] { return session }
    let bus = core.connection.assumeIsolated { $0.busID }
    let session = DeviceSession(path: path, lock: LinkLock(bus: bus, device: path), core: core)
    devices[path] = session
    return session
  }

  func attribute(_ path: String, _ interface: String, of device: DeviceSession) -> AttributeSession {
    if let session = attributes[path] { return session }
    let session = AttributeSession(path: path, interface: interface, device: device)
    attributes[path] = session
    return session
  }

  func attributes(of device: DeviceSession) -> [AttributeSession] {
    attributes.values.filter { $0.device === device }
  }

  func isStoppingNotifications(of devicePath: String) -> Bool {
    attributes.values.contains { $0.device.path == devicePath && $0.stopsUnderWay > 0 }
  }

  // MARK: Scans

  func failScans() {
    for adapter in adapters.values { adapter.failScans() }
  }

  /// `contents` are the properties that came with an advertisement, if they are more than those that changed.
  func advertised(
    _ path: String, _ properties: AdvertisementChange, contents: AdvertisementChange? = nil
  ) {
    // An advertisement always has a signal strength; other properties may come over a link.
    heard(
      path, signalled: contents ?? properties,
      if: { $0.rssi != nil && (!$0.isConnected || properties.contains(.rssi)) }
    ) {
      $0.advertised($1, properties)
    }
  }

  func added(_ path: String) {
    // If the monitor heard it before.
    heard(path, signalled: .everything) { if $0.monitor.added(path) { $0.heard($1, in: .passive) } }
  }

  /// Passes a device, as it is now, to the adapter that heard it.
  func heard(
    _ path: String, signalled: AdvertisementChange = [], if isMeant: (DeviceState) -> Bool = { _ in true },
    _ take: (AdapterSession, DeviceSighting) -> Void
  ) {
    // Describing a device is worth it only for scans.
    guard adapters.values.contains(where: { !$0.scans.isEmpty }) else { return }
    let found = core.client.withDevice(path) { device -> (AdapterSession, DeviceSighting)? in
      // They are few: comparing is cheaper than hashing.
      guard isMeant(device), let adapter = adapters.values.first(where: { $0.path == device.adapterPath })
      else { return nil }
      return DeviceSighting(device, in: core, signalled: signalled).map { (adapter, $0) }
    }
    if case let (adapter, device)?? = found { take(adapter, device) }
  }

  // MARK: Changes

  func follow(_ change: ObjectModel.Change) {
    switch change {
    case .value: return  // subscriptions follow it themselves, and no condition depends on it
    case .deviceAdded(let path):
      advertised(path, .rssi, contents: .everything)
      added(path)
    case .device(let path, let properties):
      if !properties.contains(.rssi) { stateChanged(ofDevice: path) }
      if !properties.isEmpty { advertised(path, properties) }
    case .linkLost(let path):
      devices[path]?.linkLost()
      core.agent.questions.withdraw(about: path)
    case .deviceRemoved(let device):
      if let adapter = adapters[device.adapterPath], !adapter.scans.isEmpty {
        DeviceSighting(device, in: core).map { adapter.lost($0) }
      }
      devices[device.path]?.deviceRemoved()
      core.agent.questions.withdraw(about: device.path)
      core.client.abandonCalls(under: device.path, "the device is gone")
    case .adapter(let path):
      if let adapter = core.client.model.adapters[path] { adapters[path]?.adapterChanged(adapter) }
      failScans()
    case .adapterRemoved(let path):
      let session = adapters.removeValue(forKey: path)
      core.client.abandonCalls(under: path, "the adapter is gone")
      failScans()
      session?.end(because: session?.reasonToEndScans())
    case .attributeRemoved(let path):
      core.client.abandonCalls(under: path, "the attribute is gone")
      attributes.removeValue(forKey: path)?.attributeRemoved()
    case .linkOpened, .attributes, .services: break
    }
    core.evaluateConditions()
  }

  private func stateChanged(ofDevice path: String) {
    guard let device = core.client.withDevice(path, { (isBonded: $0.isBonded, isPaired: $0.isPaired) })
    else { return }
    devices[path]?.bond.observed(isBonded: device.isBonded)
    if device.isPaired { devices[path]?.bond.paired() }
    if device.isPaired { core.agent.questions.devicePaired(path) }
  }

  /// Subscribes to the reasons why links end, before the first link is used; an old BlueZ reports none.
  func followLinkEnds() async {
    guard !followsLinkEnds, core.client.model.adapters.values.contains(where: \.reportsLinkEnds) else {
      return
    }
    followsLinkEnds = true
    let ended = core.loop.confined { [weak core] (message: Message) in
      // BlueZ reports the reason before the end itself.
      guard let core, let path = message.path else { return }
      let reason = LinkEndReason(blueZName: message.values.first?.text ?? "")
      core.client.model.devices[path]?.linkEnd = reason
      core.sessions.devices[path]?.link.endReported(byBlueZ: reason == .local)
    }
    await core.client.follow("Disconnected", of: BlueZ.device, handler: ended)
  }

  // MARK: The end

  func end(because error: BLEError) {
    // Closing a lost manager ends it once more, without any.
    if error.code == .busUnavailable, left.locks.isEmpty {
      left.bus = core.connection.assumeIsolated { $0.busID }
      left.locks = devices.filter(\.value.link.isHeld).mapValues(\.lock)
    }
    let (adapters, attributes) = (self.adapters.values, self.attributes.values)
    (self.adapters, devices, self.attributes) = ([:], [:], [:])
    for adapter in adapters { adapter.end(because: error.during(.scan)) }
    for attribute in attributes { attribute.endNotifications(because: error) }
    core.agent.serviceLost()
  }

  /// Hands over the links of a manager that has lost the bus.
  func leaveLinks() -> LeftLinks {
    defer { left = LeftLinks() }
    return left
  }

  /// Ends scans and subscriptions of a manager that is being released, which no call may refer to any more.
  func managerReleased() {
    leaveLinks().abandon()
    for adapter in adapters.values { adapter.managerReleased() }
    for attribute in attributes.values { attribute.managerReleased() }
  }

  /// Ends the manager's activity in BlueZ before it leaves the bus.
  func close() async {
    // First: a question that is open when the manager leaves the bus may end bluetoothd.
    if let pairing = core.agent.pairing?.task {
      pairing.cancel()
      _ = await pairing.value
    }
    core.agent.postEnd()
    for attribute in attributes.values { attribute.notifications?.stop() }
    for adapter in adapters.values { adapter.postEnd() }
    let held = devices.values.filter(\.link.isHeld).sorted { $0.path < $1.path }
    let closing = held.map { device in
      core.loop.spawn { await LinkCloser(device: device).release(within: Sessions.closingTime) }
    }
    for task in closing { _ = await task.value }
    // Other programs may have left their link to a task that waits for it, and a lost manager its own to this one.
    for device in devices.values where device.lock.isEntered && !device.link.isHeld {
      await LinkCloser(device: device).leaveLock()
    }
    // Otherwise bluetoothd would continue for 40 s, and leave an unused link.
    for device in devices.values where device.link.isCallingConnect {
      core.connection.post(device.message("Disconnect"))
    }
  }
}
