// SPDX-License-Identifier: MIT
internal import DBus

extension CentralManager {
  /// Scans for advertisers.
  ///
  /// BlueZ: Adapter1.SetDiscoveryFilter, StartDiscovery, StopDiscovery; for a passive scan
  /// AdvertisementMonitorManager1.RegisterMonitor, UnregisterMonitor. All scans of a manager share one session of BlueZ,
  /// all passive ones one monitor; the session is paused while a connection is made.
  ///
  /// - Parameters:
  ///   - filter: which devices are reported; all by default.
  ///   - mode: whether to ask devices for their scan responses, or only to listen.
  ///   - reportsDuplicates: whether each advertisement is an event, not only the first of a device.
  /// - Returns: the events. Iterating them throws ``BLEError`` with code `poweredOff`, `noAdapter`,
  ///   `serviceUnavailable` and the like, when the scan cannot begin or go on; `notSupported` for a passive scan with a
  ///   bluetoothd whose experimental features are off.
  public nonisolated func scan(
    _ filter: ScanFilter = ScanFilter(), mode: ScanMode = .active, reportsDuplicates: Bool = false
  ) -> ScanResults {
    ScanResults(central: self, filter: filter, mode: mode, reportsDuplicates: reportsDuplicates)
  }

  /// Every device that BlueZ knows of the adapter in use, by address: stored, connected, or heard of late.
  ///
  /// - Throws: ``BLEError`` with code `noAdapter`, `serviceUnavailable` or `busUnavailable`.
  public func knownPeripherals() throws(BLEError) -> [PeripheralInfo] {
    let adapter = try knownAdapter(for: "list devices")
    var known: [PeripheralInfo] = []
    model.devices.forEach { record in
      guard record.adapterPath == adapter.path, let info = PeripheralInfo(record, central: self) else {
        return
      }
      known.append(info)
    }
    logMismatches()
    return known.sorted { $0.address < $1.address }
  }

  /// A device that BlueZ knows of the adapter in use, by its address; nil when it knows none.
  ///
  /// However many devices BlueZ knows, only this one is looked at.
  ///
  /// - Parameter address: the device's address, after pairing its identity address.
  /// - Returns: everything that BlueZ knows about the device now.
  /// - Throws: ``BLEError`` with code `noAdapter`, `serviceUnavailable` or `busUnavailable`.
  public func knownPeripheral(withAddress address: BluetoothAddress) throws(BLEError) -> PeripheralInfo? {
    let adapter = try knownAdapter(for: "look for \(address)")
    for path in model.devices.paths(of: address) {
      model.devices.load(path)
      if let record = model.devices[path], record.adapterPath == adapter.path {
        logMismatches()
        return PeripheralInfo(record, central: self)
      }
    }
    return nil
  }

  // MARK: A scan's life

  func beginScan(
    _ filter: ScanFilter, mode: ScanMode, reportsDuplicates: Bool, way: ScanChannel
  ) async throws(BLEError) -> RunningScan {
    let adapter = try poweredAdapter(for: "scan")
    lastScan += 1
    let number = lastScan
    scans[number] = ScanTracker(
      filter: filter, mode: mode, reportsDuplicates: reportsDuplicates, adapterPath: adapter.path,
      results: way, loop: loop)
    let running = RunningScan(number: number, central: self)
    try await settle(mode, adapter.path)
    return running
  }

  func endScan(_ number: Int) {
    guard let scan = scans.removeValue(forKey: number) else { return }
    let (mode, path) = (scan.mode, scan.adapterPath)
    switch mode {
    case .active: keepDiscovery(of: path)
    case .passive: Task(executorPreference: loop) { [weak self] in try? await self?.settleMonitor(of: path) }
    }
  }

  private func settle(_ mode: ScanMode, _ adapterPath: String) async throws(BLEError) {
    switch mode {
    case .active: try await settleDiscovery(of: adapterPath)
    case .passive: try await settleMonitor(of: adapterPath)
    }
  }

  /// Ends scans whose adapter, or service, can no longer scan.
  func failScans() {
    for scan in scans.values {
      if let reason = reasonToEnd(scan) { scan.fail(reason) }
    }
  }

  private func reasonToEnd(_ scan: ScanTracker) -> BLEError? {
    do throws(BLEError) {
      if let adapter = model.adapters[scan.adapterPath], outage == nil {
        try requirePower(of: adapter, for: "scan")
        return nil
      }
      _ = try knownAdapter(for: "scan")
    } catch {
      return error
    }
    // Another adapter is there, but it is not the one that scans.
    let name = BlueZ.adapterName(ofPath: scan.adapterPath)
    return BLEError(.noAdapter, operation: "scan", message: "the adapter \(name) is gone")
  }

  // MARK: Signals

  /// Tells the scans, and whoever holds something of the objects, what has changed.
  func follow(_ change: ObjectModel.Change) {
    switch change {
    case .deviceAdded(let path):
      signalled(path, .rssi)
      reportAwaited(path)
    case .device(let path, let advertised):
      if !advertised.isEmpty { signalled(path, advertised) }
    case .linkLost(let path): linkLost(path, isObjectGone: false)
    case .deviceRemoved(let record):
      for mode in ScanMode.allCases { lost(record, in: mode) }
      linkLost(record.path, isObjectGone: true)
      abandonCalls(under: record.path, "the device is gone")
      forgetQueues(under: record.path)
    case .adapter(let path):
      guard let adapter = model.adapters[path] else { return }
      if discoveries[path]?.observed(isDiscovering: adapter.isDiscovering) == true, adapter.isPowered {
        keepDiscovery(of: path)
      }
      stateMayHaveChanged()
      failScans()
    case .adapterRemoved(let path):
      discoveries[path] = nil
      forgetMonitors(of: path)
      abandonCalls(under: path, "the adapter is gone")
      stateMayHaveChanged()
      failScans()
    case .attributeRemoved(let path):
      abandonCalls(under: path, "the attribute is gone")
      notifySessions.removeValue(forKey: path)?.end(
        .notificationsStopped(.notFound, "the characteristic is gone"))
    case .attributes, .value: break
    }
  }

  /// Tells the active scans of an advertisement: those bring a strength, and of a device that is connected nothing else
  /// tells them from what is learnt over the link.
  private func signalled(_ path: String, _ advertised: AdvertisementChange) {
    guard !scans.isEmpty, let device = model.devices[path], device.rssi != nil,
      !device.isConnected || advertised.contains(.rssi)
    else { return }
    heard(path, in: .active)
  }

  /// Tells the scans of one mode that a device was heard.
  func heard(_ path: String, in mode: ScanMode) {
    guard let device = model.devices[path], let info = PeripheralInfo(device, central: self) else { return }
    let time = Timestamp.now
    for number in numbers(of: mode, device.adapterPath) { scans[number]?.heard(info, at: time) }
  }

  /// Tells the scans of one mode that a device is not heard any more.
  func lost(_ device: DeviceState, in mode: ScanMode) {
    guard let info = PeripheralInfo(device, central: self) else { return }
    for number in numbers(of: mode, device.adapterPath) { scans[number]?.lost(info, at: .now) }
  }

  /// A copy of the keys: a view of them would make each change copy the tracker, and with it all it has seen.
  private func numbers(of mode: ScanMode, _ adapterPath: String) -> [Int] {
    scans.keys.filter { scans[$0]?.mode == mode && scans[$0]?.adapterPath == adapterPath }
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
