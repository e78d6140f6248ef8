// SPDX-License-Identifier: MIT
internal import DBus

extension CentralManager {
  /// Scans for advertisers.
  ///
  /// BlueZ: Adapter1.SetDiscoveryFilter, StartDiscovery, StopDiscovery. All scans of a manager share one session of
  /// BlueZ; it is paused while a connection is made.
  ///
  /// - Parameters:
  ///   - filter: which devices are reported; all by default.
  ///   - reportsDuplicates: whether each advertisement is an event, not only the first of a device.
  /// - Returns: the events. Iterating them throws ``BLEError`` with code `poweredOff`, `noAdapter`,
  ///   `serviceUnavailable` and the like, when the scan cannot begin or go on.
  public nonisolated func scan(
    _ filter: ScanFilter = ScanFilter(), reportsDuplicates: Bool = false
  ) -> ScanResults {
    ScanResults(central: self, filter: filter, reportsDuplicates: reportsDuplicates)
  }

  /// Every device that BlueZ knows of the adapter in use, by address: stored, connected, or heard of late.
  ///
  /// - Throws: ``BLEError`` with code `noAdapter`, `serviceUnavailable` or `busUnavailable`.
  public func knownPeripherals() throws(BLEError) -> [PeripheralInfo] {
    let adapter = try knownAdapter(for: "list devices")
    return model.devices.values.filter { $0.adapterPath == adapter.path }
      .compactMap { PeripheralInfo($0, central: self) }
      .sorted { $0.address < $1.address }
  }

  // MARK: A scan's life

  func beginScan(
    _ filter: ScanFilter, reportsDuplicates: Bool, way: ScanChannel
  ) async throws(BLEError) -> RunningScan {
    let adapter = try poweredAdapter(for: "scan")
    lastScan += 1
    let number = lastScan
    scans[number] = ScanTracker(
      filter: filter, reportsDuplicates: reportsDuplicates, adapterPath: adapter.path, results: way)
    let running = RunningScan(number: number, central: self)
    try await settleDiscovery(of: adapter.path)
    return running
  }

  func endScan(_ number: Int) {
    guard let scan = scans.removeValue(forKey: number) else { return }
    let path = scan.adapterPath
    Task(executorPreference: loop) { [weak self] in try? await self?.settleDiscovery(of: path) }
  }

  /// Ends scans whose adapter, or service, can no longer scan.
  func failScans() {
    guard !scans.isEmpty else { return }
    for scan in scans.values {
      do {
        if model.adapters[scan.adapterPath]?.isPowered != true { _ = try poweredAdapter(for: "scan") }
      } catch {
        scan.fail(error)
      }
    }
  }

  // MARK: Signals

  /// Tells the scans, and whoever holds something of the objects, what has changed.
  func follow(_ change: ObjectModel.Change) {
    switch change {
    case .deviceAdded(let path): heard(path, .rssi)
    case .device(let path, let advertised):
      if !advertised.isEmpty { heard(path, advertised) }
    case .linkLost(let path): linkLost(path, isObjectGone: false)
    case .deviceRemoved(let record):
      if let info = PeripheralInfo(record, central: self) {
        for number in Array(scans.keys) { scans[number]?.lost(info, at: .now) }
      }
      linkLost(record.path, isObjectGone: true)
      abandonCalls(under: record.path, "the device is gone")
      forgetQueues(under: record.path)
    case .adapter(let path):
      guard let adapter = model.adapters[path] else { return }
      if discoveries[path]?.observed(isDiscovering: adapter.isDiscovering) == true, adapter.isPowered {
        Task(executorPreference: loop) { [weak self] in try? await self?.settleDiscovery(of: path) }
      }
      stateMayHaveChanged()
      failScans()
    case .adapterRemoved(let path):
      discoveries[path] = nil
      abandonCalls(under: path, "the adapter is gone")
      stateMayHaveChanged()
      failScans()
    case .attributeRemoved(let path):
      abandonCalls(under: path, "the attribute is gone")
      notifySessions.removeValue(forKey: path)?.end(
        BLEError(.notFound, operation: "go on with notifications", message: "the characteristic is gone"))
    case .attributes, .value: break
    }
  }

  /// Tells the scans of an advertisement: those bring a strength, and of a device that is connected nothing else tells
  /// them from what is learnt over the link.
  private func heard(_ path: String, _ advertised: AdvertisementChange) {
    guard !scans.isEmpty, let device = model.devices[path], device.rssi != nil,
      !device.isConnected || advertised.contains(.rssi),
      let info = PeripheralInfo(device, central: self)
    else { return }
    let time = Timestamp.now
    // A copy of the keys: a view of them would make each change copy the tracker, and with it all it has seen.
    for number in Array(scans.keys) where scans[number]?.adapterPath == device.adapterPath {
      scans[number]?.heard(info, at: time)
    }
  }

  private func forgetQueues(under path: String) {
    let prefix = path + "/"
    requestQueues = requestQueues.filter { !$0.key.hasPrefix(prefix) }
    notifyQueues = notifyQueues.filter { !$0.key.hasPrefix(prefix) }
  }

  func abandonCalls(under path: String, _ message: String) {
    connection.assumeIsolated { $0.abandonCalls(under: path, because: message) }
  }
}
