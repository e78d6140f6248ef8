// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// Everything that happens from now on: devices found, lost, connected, disconnected, changed; values; adapters.
  ///
  /// Devices are found while this manager, or another program, scans: the events do not start a scan. If the manager
  /// was made for one adapter, only events of that adapter are reported. Existing objects cause no events.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped, and their number is reported.
  /// - Returns: the events.
  public func events(capacity: Int = 65_536) -> CentralEvents {
    let source = BatchSource<CentralEvent>(capacity: capacity, loop: loop) {
      CentralEvent(kind: .missed($0), time: .now)
    }
    let lease = Lease { [weak self, loop] in
      loop.submit { [weak self] in self?.assumeIsolated { $0.remove(source) } }
    }
    if watchers.isEmpty {
      tracker = EventTracker(devices: watchedDevices, adapters: watchedAdapters, state: state)
    }
    watchers.append(source)
    if let outage, outage.isFinal { source.end(outage) }
    return CentralEvents(source) { () throws(BLEError) in lease }
  }

  private func remove(_ watcher: BatchSource<CentralEvent>) {
    watchers.removeAll { $0 === watcher }
    if watchers.isEmpty { tracker = nil }
  }

  // MARK: Reports

  /// Reports what a change means.
  func report(_ change: ObjectModel.Change) {
    guard !watchers.isEmpty else { return }
    switch change {
    case .deviceAdded(let path), .device(let path, _):
      report(tracker?.device(path, is: watchedDevice(path)))
    case .deviceRemoved(let device): report(tracker?.device(device.path, is: nil))
    case .adapter(let path), .adapterRemoved(let path):
      report(tracker?.adapter(path, is: watchedAdapters[path]))
      report(tracker?.state(is: state))
    case .value(let path, let bytes):
      guard let characteristic = ServiceTree(model: model).characteristic(at: path),
        let info = watchedDevice(characteristic.devicePath)
      else { return }
      report([.value(info, characteristic, bytes)])
    case .linkLost, .attributes, .services, .attributeRemoved: break
    }
  }

  /// Reports all that differs from the last reports: bluetoothd has ended, or has come back.
  func reportEverything() {
    guard !watchers.isEmpty else { return }
    report(tracker?.everything(devices: watchedDevices, adapters: watchedAdapters, state: state))
  }

  private func report(_ kinds: [CentralEvent.Kind]?) {
    guard let kinds, !kinds.isEmpty else { return }
    let time = Timestamp.now
    for kind in kinds {
      for watcher in watchers { watcher.channel.send(CentralEvent(kind: kind, time: time)) }
    }
  }

  // MARK: The objects

  private var watchedDevices: [String: PeripheralInfo] {
    var devices: [String: PeripheralInfo] = [:]
    // The model must not be read while its devices are: they are decoded on the way.
    let adapters = watchedAdapters
    model.devices.forEach { devices[$0.path] = watched($0, on: adapters) }
    return devices
  }

  private func watchedDevice(_ path: String) -> PeripheralInfo? {
    model.devices[path].flatMap { watched($0, on: watchedAdapters) }
  }

  private func watched(_ device: DeviceState, on adapters: [String: Adapter]) -> PeripheralInfo? {
    if adapterChoice.wanted != nil, adapters[device.adapterPath] == nil { return nil }
    return PeripheralInfo(device, central: self)
  }

  private var watchedAdapters: [String: Adapter] {
    model.adapters.filter { adapterChoice.includes($0.value) }.mapValues { Adapter($0) }
  }
}
