// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

extension CentralManager {
  /// Scans for advertisers.
  ///
  /// BlueZ: Adapter1.SetDiscoveryFilter, StartDiscovery, StopDiscovery; for a passive scan
  /// AdvertisementMonitorManager1.RegisterMonitor, UnregisterMonitor. All active scans of a manager share one
  /// discovery session, and all passive scans one monitor; the session pauses while a connection is made.
  ///
  /// - Parameters:
  ///   - filter: which devices to report; all by default.
  ///   - mode: whether to request scan responses from devices, or only to listen.
  ///   - reportsDuplicates: whether each advertisement is an event, not only the first of a device.
  /// - Returns: the events. Iterating them throws ``BLEError`` with code `poweredOff`, `noAdapter`,
  ///   `serviceUnavailable` and the like if the scan cannot begin or continue; `notSupported` for a passive
  ///   scan if bluetoothd's experimental features are off.
  public nonisolated func scan(
    _ filter: ScanFilter = ScanFilter(), mode: ScanMode = .active, reportsDuplicates: Bool = false
  ) -> ScanResults {
    let source = BatchSource<ScanEvent>(loop: loop)
    return ScanResults(source) { () throws(BLEError) in
      try await self.beginScan(filter, mode, reportsDuplicates, source)
    }
  }

  /// Scans for some time, and returns the devices that were heard, in the order in which they were.
  ///
  /// BlueZ: as ``scan(_:mode:reportsDuplicates:)``, which it uses. The time begins with the call.
  ///
  /// - Parameters:
  ///   - duration: how long to scan; it ends then, also if nothing is heard.
  ///   - filter: which devices to return; all by default.
  ///   - mode: whether to request scan responses from devices, or only to listen.
  /// - Returns: what is known of each device at the end.
  /// - Throws: ``BLEError`` with the codes of ``scan(_:mode:reportsDuplicates:)``, or `cancelled`.
  public nonisolated func scan(
    for duration: Duration, _ filter: ScanFilter = ScanFilter(), mode: ScanMode = .active
  ) async throws(BLEError) -> [PeripheralInfo] {
    let operation = Operation(.scan, timeout: duration)
    var order: [Peripheral] = []
    var heard: [Peripheral: PeripheralInfo] = [:]
    var scan = scan(filter, mode: mode).makeAsyncIterator()
    while !operation.deadline.isOver, let batch = try await scan.nextBatch(until: operation.deadline.instant)
    {
      for event in batch.elements where heard.updateValue(event.info, forKey: event.info.peripheral) == nil {
        order.append(event.info.peripheral)
      }
    }
    if Task.isCancelled { throw operation.cancelled }
    return order.compactMap { heard[$0] }
  }

  /// Returns all devices that BlueZ knows on the adapter in use, by address: stored, connected, or heard
  /// recently.
  ///
  /// - Throws: ``BLEError`` with code `noAdapter`, `serviceUnavailable` or `busUnavailable`.
  public func knownPeripherals() throws(BLEError) -> [PeripheralInfo] {
    try core.knownPeripherals()
  }

  /// Returns the device with an address, if BlueZ knows it on the adapter in use; nil if not.
  ///
  /// Decodes only this device, however many BlueZ knows.
  ///
  /// - Parameter address: the device's address; after pairing, its identity address.
  /// - Returns: everything that BlueZ knows about the device now.
  /// - Throws: ``BLEError`` with code `noAdapter`, `serviceUnavailable` or `busUnavailable`.
  public func knownPeripheral(withAddress address: BluetoothAddress) throws(BLEError) -> PeripheralInfo? {
    try core.knownPeripheral(withAddress: address)
  }

  /// Identifies the instance of the bus: another one has other links.
  package var busID: String { core.connection.assumeIsolated { $0.busID } }

  /// Returns the names of the adapters of this machine, used or not, that have a link to an address.
  package func adapters(linkedTo address: BluetoothAddress) -> [String] {
    core.client.model.devices.paths(of: address).compactMap { core.client.model.devices[$0] }.filter(
      \.isConnected
    )
    .map { BlueZ.adapterName(ofPath: $0.adapterPath) }.sorted()
  }

  // MARK: Finding

  /// Finds a device, first among those that BlueZ knows (connected ones first), then by a scan.
  ///
  /// A connected device does not advertise: a scan alone would never find it.
  ///
  /// BlueZ: reads its known devices, then scans as ``scan(_:mode:reportsDuplicates:)`` does.
  ///
  /// ```swift
  /// let piano = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Piano" }))
  /// ```
  ///
  /// - Parameters:
  ///   - filter: the conditions; the first device that meets them is returned.
  ///   - timeout: how long to scan; nil sets no limit.
  /// - Returns: the device, with what is known of it now.
  /// - Throws: ``BLEError``: `timedOut` if no matching device was heard, `poweredOff`, `noAdapter`,
  ///   `serviceUnavailable`, `cancelled` …
  public nonisolated func firstPeripheral(
    matching filter: ScanFilter, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> PeripheralInfo {
    let known = try await knownPeripherals().filter { filter.allows($0) }
    if let found = known.first(where: \.isConnected) ?? known.first { return found }
    let operation = Operation(.findDevice, timeout: timeout)
    if let heard = try await hear(filter, until: operation.deadline) { return heard }
    if Task.isCancelled { throw operation.cancelled }
    throw operation.error(.timedOut, "no matching device was found before the timeout")
  }

  /// Scans until a wanted device is heard; returns nil at the deadline, or if the task was cancelled.
  package nonisolated func hear(
    _ filter: ScanFilter, until deadline: Deadline, where isWanted: (PeripheralInfo) -> Bool = { _ in true }
  ) async throws(BLEError) -> PeripheralInfo? {
    var scan = scan(filter).makeAsyncIterator()
    while !deadline.isOver, let batch = try await scan.nextBatch(until: deadline.instant) {
      let heard = batch.elements.first { $0.kind != .lost && isWanted($0.info) }
      if let heard { return heard.info }
    }
    return nil
  }

  // MARK: Scans

  private func beginScan(
    _ filter: ScanFilter, _ mode: ScanMode, _ reportsDuplicates: Bool, _ source: BatchSource<ScanEvent>
  ) async throws(BLEError) -> Lease {
    let path = try core.poweredAdapter(for: .scan).path
    let lease = Lease(on: loop) { [weak core] in core?.sessions.adapters[path]?.endScan(source) }
    let scan = ScanTracker(filter: filter, mode: mode, reportsDuplicates: reportsDuplicates, source: source)
    do throws(BLEError) {
      try await core.sessions.adapter(path).begin(scan)
    } catch {
      throw await client.explained(error)
    }
    return lease
  }
}

extension CentralCore {
  /// Scans until a wanted device is heard; returns nil at the deadline, or if the task was cancelled.
  func hear(_ filter: ScanFilter, until deadline: Deadline) async throws(BLEError) -> PeripheralInfo? {
    try await manager?.hear(filter, until: deadline)
  }

  /// Returns all devices that BlueZ knows on the adapter in use, by address.
  func knownPeripherals() throws(BLEError) -> [PeripheralInfo] {
    let adapter = try knownAdapter(for: .listDevices)
    var known: [PeripheralInfo] = []
    client.model.devices.forEach { record in
      guard record.adapterPath == adapter.path, let info = info(record) else {
        return
      }
      known.append(info)
    }
    client.assumeIsolated { $0.logMismatches() }
    return known.sorted { $0.address < $1.address }
  }

  /// Returns the device with an address, if BlueZ knows it on the adapter in use; decodes only this one.
  func knownPeripheral(withAddress address: BluetoothAddress) throws(BLEError) -> PeripheralInfo? {
    let adapter = try knownAdapter(for: .lookFor(address))
    for path in client.model.devices.paths(of: address) {
      client.model.devices.load(path)
      if let record = client.model.devices[path], record.adapterPath == adapter.path {
        client.assumeIsolated { $0.logMismatches() }
        return info(record)
      }
    }
    return nil
  }
}
