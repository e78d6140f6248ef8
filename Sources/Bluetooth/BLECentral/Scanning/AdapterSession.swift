// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// An adapter's scans, their discovery and monitor, and its connections in turn; confined to the manager.
///
/// Lives from its first use until BlueZ loses the adapter.
final class AdapterSession {
  unowned let core: CentralCore
  let path: String
  private(set) var scans: [ScanTracker] = []
  var discovery = DiscoverySession()
  var monitor = MonitorSession()
  /// Serializes Connect: an adapter makes one connection at a time.
  let connecting = ConnectTurns()

  init(path: String, core: CentralCore) { (self.path, self.core) = (path, core) }

  // MARK: Scans

  func runningScans(_ mode: ScanMode) -> some Sequence<ScanTracker> {
    scans.lazy.filter { $0.mode == mode && !$0.isOver }
  }

  func begin(_ scan: ScanTracker) async throws(BLEError) {
    scans.append(scan)
    switch scan.mode {
    case .active: try await ActiveScanning(adapter: self).settle()
    case .passive: try await PassiveScanning(adapter: self).settle()
    }
  }

  func endScan(_ source: BatchSource<ScanEvent>) {
    guard let index = scans.firstIndex(where: { $0.source === source }) else { return }
    switch scans.remove(at: index).mode {
    case .active: ActiveScanning(adapter: self).keep()
    case .passive: PassiveScanning(adapter: self).keep()
    }
  }

  func heard(_ device: DeviceSighting, in mode: ScanMode) {
    for scan in runningScans(mode) { scan.heard(device) }
  }

  func lost(_ device: DeviceSighting, in mode: ScanMode? = nil) {
    for scan in scans where mode == nil || scan.mode == mode { scan.lost(device) }
  }

  /// Reports an advertisement.
  func advertised(_ device: DeviceSighting, _ properties: AdvertisementChange) {
    heard(device, in: .active)
    // BlueZ calls the monitor before it sends what the advertisement has changed.
    if monitor.isRegistered, !properties.isSubset(of: .rssi) { heard(device, in: .passive) }
  }

  func failScans() {
    guard !scans.isEmpty, let reason = reasonToEndScans() else { return }
    failScans(because: reason)
  }

  /// Ends the scans when the reason is known for sure: an adapter that goes off, or away, may be the start of the end of
  /// bluetoothd.
  private func failScans(because reason: BLEError) {
    let ending = scans.map(\.source)
    guard core.outage == nil else { return ending.forEach { $0.end(reason) } }
    core.whenReasonIsKnown { [self] in
      let reason = reasonToEndScans() ?? reason
      for scan in ending { scan.end(reason) }
    }
  }

  func reasonToEndScans() -> BLEError? {
    do throws(BLEError) {
      try core.requireRadio(path, for: .scan)
      return nil
    } catch {
      return error
    }
  }

  // MARK: The adapter

  func adapterChanged(_ adapter: AdapterState) {
    if !adapter.isPowered, let reason = reasonToEndScans() { discovery.call?.fulfil(.failure(reason)) }
    let isLost = discovery.observed(
      isDiscovering: adapter.isDiscovering, isPowered: adapter.isPowered)
    if isLost, adapter.isPowered { ActiveScanning(adapter: self).keep() }
  }

  /// Stops everything in BlueZ without waiting: the program is ending.
  func postEnd() {
    if discovery.isRunning {
      // A session of BlueZ belongs to a connection.
      (discovery.bus ?? core.connection).post(
        Message(call: "StopDiscovery", of: BlueZ.adapter, at: path, to: BlueZ.service))
    }
    if monitor.isRegistered {
      core.connection.post(PassiveScanning(adapter: self).message("UnregisterMonitor"))
    }
  }

  /// Ends the scans of a manager that is being released.
  func managerReleased() {
    for scan in scans { scan.source.end(.managerClosed.during(.scan)) }
    postEnd()
    if monitor.isExported { core.client.withdraw(AdvertisementMonitor.root(ofAdapter: path)) }
  }

  func end(because reason: BLEError?) {
    if let reason { failScans(because: reason) }
    if monitor.isExported { PassiveScanning(adapter: self).withdraw() }
    (discovery, monitor) = (DiscoverySession(), MonitorSession())
  }
}
