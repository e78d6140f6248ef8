// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension CentralManager {
  /// Everything that happens from now on: devices found, lost, connected, disconnected, changed; values; radios.
  ///
  /// It scans for nothing by itself: devices are found while this manager, or another program, scans. With an adapter
  /// that was asked for, only what concerns that one is told; what is there already is no event.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped, and their number told.
  /// - Returns: the events.
  public func events(capacity: Int = 65_536) -> CentralEvents {
    let watch = EventWatch(channel: BatchChannel(capacity: capacity)) { [weak self, loop] in
      loop.submit { [weak self] in self?.assumeIsolated { $0.endWatches() } }
    }
    if watchers.isEmpty {
      tracker = EventTracker(devices: watchedDevices, adapters: watchedAdapters, state: state)
    }
    watchers.append(EventWatcher(watch: watch))
    return CentralEvents(watch: watch)
  }

  private func endWatches() {
    watchers.removeAll { $0.watch == nil }
    if watchers.isEmpty { tracker = nil }
  }

  // MARK: What is told

  /// Tells the watchers what a change means.
  func tellWatchers(_ change: ObjectModel.Change) {
    guard !watchers.isEmpty else { return }
    switch change {
    case .deviceAdded(let path), .device(let path, _):
      tell(tracker?.device(path, is: watchedDevice(path)))
    case .deviceRemoved(let record): tell(tracker?.device(record.path, is: nil))
    case .adapter(let path), .adapterRemoved(let path):
      tell(tracker?.adapter(path, is: watchedAdapters[path]))
      tell(tracker?.state(is: state))
    case .value(let path, let bytes):
      guard let characteristic = characteristic(at: path), let info = watchedDevice(characteristic.devicePath)
      else { return }
      tell([.value(info, characteristic, bytes)])
    case .linkLost, .attributes, .attributeRemoved: break
    }
  }

  /// Tells the watchers everything that is not as they were told: bluetoothd has ended, or has come back.
  func tellWatchersEverything() {
    guard !watchers.isEmpty else { return }
    tell(tracker?.everything(devices: watchedDevices, adapters: watchedAdapters, state: state))
  }

  /// Ends all events: the bus is lost.
  func failWatchers(_ error: BLEError) {
    for watcher in watchers { watcher.watch?.fail(error) }
  }

  private func tell(_ kinds: [CentralEvent.Kind]?) {
    guard let kinds, !kinds.isEmpty else { return }
    let time = Timestamp.now
    for kind in kinds {
      for watcher in watchers { watcher.watch?.channel.send(CentralEvent(kind: kind, time: time)) }
    }
  }

  // MARK: What is watched

  private var watchedDevices: [String: PeripheralInfo] {
    var devices: [String: PeripheralInfo] = [:]
    model.devices.forEach { devices[$0.path] = watched($0) }
    return devices
  }

  private func watchedDevice(_ path: String) -> PeripheralInfo? {
    model.devices[path].flatMap { watched($0) }
  }

  private func watched(_ record: DeviceRecord) -> PeripheralInfo? {
    if wantedAdapter != nil, watchedAdapters[record.adapterPath] == nil { return nil }
    return PeripheralInfo(record, central: self)
  }

  private var watchedAdapters: [String: Adapter] {
    let wanted = wantedAdapter.flatMap { BluetoothAddress($0) }
    return model.adapters.filter { _, record in
      guard let wantedAdapter else { return true }
      return record.identifier == wantedAdapter
        || (wanted != nil && BluetoothAddress(record.address) == wanted)
    }.mapValues { Adapter($0) }
  }
}
