// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// Reports events in BlueZ to their readers and to a library on top of this one; confined to the manager.
final class EventReporter {
  private unowned let core: CentralCore
  private var readers: [BatchSource<CentralEvent>] = []
  /// The last state reported to the readers; nil without readers.
  private var tracker: EventTracker?
  /// Follows devices in addition to the readers of events.
  var deviceObserver: (@Sendable (CentralManager.DeviceChange) -> Void)?

  init(_ core: CentralCore) { self.core = core }

  // MARK: The readers

  func add(_ reader: BatchSource<CentralEvent>) {
    if readers.isEmpty {
      let watched = watched()
      tracker = EventTracker(devices: watched.devices, adapters: watched.adapters, state: core.state)
    }
    readers.append(reader)
    if let outage = core.outage, outage.isFinal { reader.end(outage) }
  }

  func remove(_ reader: BatchSource<CentralEvent>) {
    readers.removeAll { $0 === reader }
    if readers.isEmpty { tracker = nil }
  }

  func end(because reason: BLEError) { for reader in readers { reader.end(reason) } }

  // MARK: Changes

  func report(_ change: ObjectModel.Change) {
    if tracker != nil { reportEvents(of: change) }
    if let deviceObserver { report(change, to: deviceObserver) }
  }

  /// Reports all differences from the last reports, after bluetoothd ended or came back.
  func reportEverything() {
    if tracker != nil {
      let watched = watched()
      send(tracker?.everything(devices: watched.devices, adapters: watched.adapters, state: core.state))
    }
    guard let deviceObserver else { return }
    var known: [PeripheralInfo] = []
    core.client.model.devices.forEach {
      if let info = core.info($0) { known.append(info) }
    }
    for info in known { deviceObserver(.changed(info, isKnown: true)) }
  }

  private func reportEvents(of change: ObjectModel.Change) {
    switch change {
    case .deviceAdded(let path), .device(let path, _):
      send(tracker?.device(path, is: watchedDevice(path)))
    case .deviceRemoved(let device): send(tracker?.device(device.path, is: nil))
    case .adapter(let path), .adapterRemoved(let path):
      send(tracker?.adapter(path, is: watchedAdapters()[path]))
      send(tracker?.state(is: core.state))
    case .value(let path, let bytes):
      guard let characteristic = GATTTree(model: core.client.model).characteristic(at: path),
        let info = watchedDevice(characteristic.devicePath)
      else { return }
      send([.value(info, characteristic, bytes)])
    case .linkOpened, .linkLost, .attributes, .services, .attributeRemoved: break
    }
  }

  private func send(_ kinds: [CentralEvent.Kind]?) {
    guard let kinds, !kinds.isEmpty else { return }
    let time = Timestamp.now
    for kind in kinds {
      for reader in readers { reader.send(CentralEvent(kind: kind, time: time)) }
    }
  }

  private func report(
    _ change: ObjectModel.Change, to observer: (CentralManager.DeviceChange) -> Void
  ) {
    switch change {
    case .device(_, let properties)
    where !properties.isEmpty && properties.isDisjoint(with: [.name, .uuids]):
      break
    case .deviceAdded(let path), .device(let path, _):
      if let device = core.client.model.devices[path], let info = core.info(device) {
        observer(.changed(info, isKnown: true))
      }
    case .deviceRemoved(let device):
      if let info = core.info(device) { observer(.changed(info, isKnown: false)) }
    case .services(let path): observer(.services(path))
    case .adapter, .adapterRemoved, .linkOpened, .linkLost, .attributes, .attributeRemoved, .value: break
    }
  }

  // MARK: The objects

  private func watched() -> (devices: [String: PeripheralInfo], adapters: [String: Adapter]) {
    var devices: [String: PeripheralInfo] = [:]
    // The model must not be read while its devices are enumerated, because that decodes them.
    let adapters = watchedAdapters()
    core.client.model.devices.forEach { devices[$0.path] = info(of: $0, on: adapters) }
    return (devices, adapters)
  }

  private func watchedDevice(_ path: String) -> PeripheralInfo? {
    core.client.model.devices[path].flatMap { info(of: $0, on: watchedAdapters()) }
  }

  private func watchedAdapters() -> [String: Adapter] {
    core.client.model.adapters.filter { core.client.adapterChoice.includes($0.value) }.mapValues {
      Adapter($0)
    }
  }

  private func info(
    of device: DeviceState, on adapters: [String: Adapter]
  ) -> PeripheralInfo? {
    if core.client.adapterChoice.wanted != nil, adapters[device.adapterPath] == nil { return nil }
    return core.info(device)
  }
}
