// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// Scans for advertisers.
  ///
  /// BlueZ: Adapter1.SetDiscoveryFilter, StartDiscovery, StopDiscovery; for a passive scan
  /// AdvertisementMonitorManager1.RegisterMonitor, UnregisterMonitor. All scans of a manager share one session of
  /// BlueZ, all passive ones one monitor; the session is paused while a connection is made.
  ///
  /// - Parameters:
  ///   - filter: which devices are reported; all by default.
  ///   - mode: whether to ask devices for their scan responses, or only to listen.
  ///   - reportsDuplicates: whether each advertisement is an event, not only the first of a device.
  /// - Returns: the events. Iterating them throws ``BLEError`` with code `poweredOff`, `noAdapter`,
  ///   `serviceUnavailable` and the like, when the scan cannot begin or continue; `notSupported` for a passive scan with a
  ///   bluetoothd whose experimental features are off.
  public nonisolated func scan(
    _ filter: ScanFilter = ScanFilter(), mode: ScanMode = .active, reportsDuplicates: Bool = false
  ) -> ScanResults {
    let source = BatchSource<ScanEvent>(loop: loop)
    return ScanResults(source) { () throws(BLEError) in
      try await self.beginScan(filter, mode, reportsDuplicates, source)
    }
  }

  /// All devices that BlueZ knows on the adapter in use, by address: stored, connected, or heard recently.
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

  /// A device that BlueZ knows on the adapter in use, by its address; nil when it knows none.
  ///
  /// Only this device is decoded, however many BlueZ knows.
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

  // MARK: Scans

  private func beginScan(
    _ filter: ScanFilter, _ mode: ScanMode, _ reportsDuplicates: Bool, _ source: BatchSource<ScanEvent>
  ) async throws(BLEError) -> Lease {
    let path = try poweredAdapter(for: "scan").path
    let lease = Lease { [weak self, loop] in
      loop.submit { [weak self] in
        self?.assumeIsolated { $0.adapterSessions[path]?.endScan(source, in: $0) }
      }
    }
    let scan = ScanTracker(filter: filter, mode: mode, reportsDuplicates: reportsDuplicates, source: source)
    try await adapterSession(path).begin(scan, in: self)
    return lease
  }

  func adapterSession(_ path: String) -> AdapterSession {
    if let session = adapterSessions[path] { return session }
    let session = AdapterSession(path: path)
    adapterSessions[path] = session
    return session
  }

  /// Ends the scans whose adapter can no longer scan.
  func failScans() { for adapter in adapterSessions.values { adapter.failScans(in: self) } }

  /// Reports an advertisement to the active scans.
  func advertised(_ path: String, _ properties: AdvertisementChange) {
    // Only scans are worth the decoding of a device.
    guard adapterSessions.values.contains(where: { !$0.scans.isEmpty }), let device = model.devices[path]
    else { return }
    adapterSessions[device.adapterPath]?.advertised(device, properties, in: self)
  }

  /// Reports a device that has become known, and that a monitor has heard before.
  func reportAwaited(_ path: String) {
    guard !adapterSessions.isEmpty, let device = model.devices[path] else { return }
    adapterSessions[device.adapterPath]?.added(device, in: self)
  }
}
