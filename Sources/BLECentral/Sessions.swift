// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The manager's sessions with adapters, devices and attributes, by path; confined to the manager.
final class Sessions {
  var adapters: [String: AdapterSession] = [:]
  var devices: [String: DeviceSession] = [:]
  var attributes: [String: AttributeSession] = [:]
  private let connection: Connection
  private var followsLinkEnds = false

  /// How long closing the manager waits for a link that is being opened or closed.
  private static let closingTime = Duration.seconds(1)

  init(_ connection: Connection) { self.connection = connection }

  func adapter(_ path: String) -> AdapterSession {
    if let session = adapters[path] { return session }
    let session = AdapterSession(path: path)
    adapters[path] = session
    return session
  }

  func device(_ path: String) -> DeviceSession {
    if let session = devices[path] { return session }
    let bus = connection.assumeIsolated { $0.busID }
    let session = DeviceSession(path: path, lock: LinkLock(bus: bus, device: path))
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

  func failScans(in central: isolated CentralManager) {
    for adapter in adapters.values { adapter.failScans(in: central) }
  }

  func advertised(_ path: String, _ properties: AdvertisementChange, in central: isolated CentralManager) {
    // An advertisement always has a signal strength; other properties may come over a link.
    heard(path, if: { $0.rssi != nil && (!$0.isConnected || properties.contains(.rssi)) }, in: central) {
      $0.advertised($1, properties)
    }
  }

  func added(_ path: String, in central: isolated CentralManager) {
    // If the monitor heard it before.
    heard(path, in: central) { if $0.monitor.added(path) { $0.heard($1, in: .passive) } }
  }

  /// Passes a device, as it is now, to the adapter that heard it.
  func heard(
    _ path: String, if isMeant: (DeviceState) -> Bool = { _ in true }, in central: isolated CentralManager,
    _ take: (AdapterSession, DeviceSighting) -> Void
  ) {
    // Describing a device is worth it only for scans.
    guard adapters.values.contains(where: { !$0.scans.isEmpty }) else { return }
    let found = central.client.withDevice(path) { device -> (AdapterSession, DeviceSighting)? in
      // They are few: comparing is cheaper than hashing.
      guard isMeant(device), let adapter = adapters.values.first(where: { $0.path == device.adapterPath })
      else { return nil }
      return DeviceSighting(device, in: central).map { (adapter, $0) }
    }
    if case let (adapter, device)?? = found { take(adapter, device) }
  }

  // MARK: Changes

  func follow(_ change: ObjectModel.Change, in central: isolated CentralManager) {
    switch change {
    case .value(let path, let bytes):
      attributes[path]?.notifications?.signalled(bytes)
      return  // no condition depends on a value
    case .deviceAdded(let path):
      advertised(path, .rssi, in: central)
      added(path, in: central)
    case .device(let path, let properties):
      if !properties.contains(.rssi) { stateChanged(ofDevice: path, in: central) }
      if !properties.isEmpty { advertised(path, properties, in: central) }
    case .linkLost(let path):
      devices[path]?.linkLost(in: central)
      central.agent.questions.withdraw(about: path, in: central)
    case .deviceRemoved(let device):
      if let adapter = adapters[device.adapterPath], !adapter.scans.isEmpty {
        DeviceSighting(device, in: central).map { adapter.lost($0) }
      }
      devices[device.path]?.deviceRemoved(in: central)
      central.agent.questions.withdraw(about: device.path, in: central)
      central.client.abandonCalls(under: device.path, "the device is gone")
    case .adapter(let path):
      if let adapter = central.model.adapters[path] { adapters[path]?.adapterChanged(adapter, in: central) }
      failScans(in: central)
    case .adapterRemoved(let path):
      let session = adapters.removeValue(forKey: path)
      central.client.abandonCalls(under: path, "the adapter is gone")
      failScans(in: central)
      session?.end(because: session?.reasonToEndScans(in: central), in: central)
    case .attributeRemoved(let path):
      central.client.abandonCalls(under: path, "the attribute is gone")
      attributes.removeValue(forKey: path)?.attributeRemoved()
    case .linkOpened, .attributes, .services: break
    }
    central.conditions.look(at: central.model, outage: central.outage)
  }

  private func stateChanged(ofDevice path: String, in central: isolated CentralManager) {
    guard let device = central.client.withDevice(path, { (isBonded: $0.isBonded, isPaired: $0.isPaired) })
    else { return }
    devices[path]?.bond.observed(isBonded: device.isBonded)
    if device.isPaired { devices[path]?.bond.paired() }
    if device.isPaired { central.agent.questions.devicePaired(path, in: central) }
  }

  /// Subscribes to the reasons why links end, before the first link is used; an old BlueZ reports none.
  func followLinkEnds(in central: isolated CentralManager) async {
    guard !followsLinkEnds, central.model.adapters.values.contains(where: \.reportsLinkEnds) else { return }
    followsLinkEnds = true
    await central.client.follow("Disconnected", of: BlueZ.device) { [weak central] message in
      // BlueZ reports the reason before the end itself.
      guard let path = message.path else { return }
      let reason = LinkEndReason(blueZName: message.values.first?.text ?? "")
      central?.assumeIsolated { central in
        central.model.devices[path]?.linkEnd = reason
        central.sessions.devices[path]?.link.endReported(byBlueZ: reason == .local)
      }
    }
  }

  // MARK: The end

  func end(because error: BLEError, in central: isolated CentralManager) {
    let (adapters, attributes) = (self.adapters.values, self.attributes.values)
    (self.adapters, devices, self.attributes) = ([:], [:], [:])
    for adapter in adapters { adapter.end(because: error.during(.scan), in: central) }
    for attribute in attributes { attribute.endNotifications(because: error, in: central) }
    central.agent.serviceLost(in: central)
  }

  /// Ends scans and subscriptions of a manager that is being released, which no call may refer to any more.
  func end(withManagerOn client: BlueZClient) {
    for adapter in adapters.values { adapter.end(withManagerOn: client) }
    for attribute in attributes.values { attribute.end(withManagerOn: client) }
  }

  /// Ends the manager's activity in BlueZ before it leaves the bus.
  func close(in central: isolated CentralManager) async {
    // First: a question that is open when the manager leaves the bus may end bluetoothd.
    if let pairing = central.agent.pairing?.task {
      pairing.cancel()
      _ = await pairing.value
    }
    central.agent.postEnd(in: central)
    for attribute in attributes.values { attribute.notifications?.stop(in: central) }
    for adapter in adapters.values { adapter.postEnd(on: central.client) }
    let held = devices.filter { $0.value.link.isHeld }.keys.sorted()
    await withTaskGroup(of: Void.self) { group in
      for path in held {
        group.addTask(executorPreference: central.loop) {
          await central.perform { central in
            guard let device = central.sessions.devices[path] else { return }
            await LinkCloser(device: device).release(within: Sessions.closingTime, in: central)
          }
        }
      }
    }
    // Other programs may have left their link to a task that waits for it.
    for device in devices.values where device.link.isConnecting && !device.link.isHeld {
      await LinkCloser(device: device).leaveLock(in: central)
    }
    // Otherwise bluetoothd would continue for 40 s, and leave an unused link.
    for device in devices.values where device.link.isCallingConnect {
      central.connection.post(device.message("Disconnect"))
    }
  }
}
