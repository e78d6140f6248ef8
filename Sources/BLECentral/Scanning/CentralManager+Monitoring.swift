// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension CentralManager {
  /// How long BlueZ may take to take or give back a monitor: it never should.
  private static let patience = Duration.seconds(5)

  /// Does what is needed for BlueZ's monitor to be as the passive scans want it.
  func settleMonitor(of adapterPath: String) async throws(BLEError) {
    let session = monitors[adapterPath] ?? MonitorSession()
    monitors[adapterPath] = session
    let queue = session.queue
    guard await queue.take(until: Deadline(after: CentralManager.patience), on: loop) else {
      throw BLEError(
        .timedOut, operation: "scan passively", message: "BlueZ does not finish what was asked before")
    }
    defer { queue.release() }
    while true {
      monitors[adapterPath]?.isWanted = scans.values.contains {
        $0.adapterPath == adapterPath && $0.mode == .passive && !$0.isOver
      }
      switch monitors[adapterPath]?.nextStep() ?? .nothing {
      case .nothing: return
      case .register: try await registerMonitor(adapterPath)
      case .unregister: await unregisterMonitor(adapterPath)
      }
    }
  }

  // MARK: Calls

  private func monitorCall(_ member: String, _ adapterPath: String) async throws(BLEError) {
    let message = Message(call: member, of: BlueZ.monitorManager, at: adapterPath, to: BlueZ.service) {
      $0.objectPath(AdvertisementMonitor.root(ofAdapter: adapterPath))
    }
    try await call(message, for: "scan passively", until: Deadline(after: CentralManager.patience))
  }

  private func registerMonitor(_ adapterPath: String) async throws(BLEError) {
    guard let owner else {
      throw BLEError(
        .serviceUnavailable, operation: "scan passively",
        message: "the Bluetooth service (org.bluez) is not running")
    }
    exportMonitor(adapterPath, to: owner)  // before the call: BlueZ asks for it before it answers
    monitors[adapterPath]?.registering()
    do {
      try await monitorCall("RegisterMonitor", adapterPath)
      monitors[adapterPath]?.registered()
    } catch {
      monitors[adapterPath]?.unregistered()
      withdrawMonitor(adapterPath)
      // Experimental interfaces are not there when they are off.
      guard error.dbusName == ErrorName.unknownMethod || error.dbusName == ErrorName.unknownInterface else {
        throw error
      }
      throw BLEError(
        .notSupported, operation: "scan passively",
        message: "bluetoothd offers it only with experimental features on", dbusName: error.dbusName)
    }
  }

  /// Whatever BlueZ answers, the monitor is gone.
  private func unregisterMonitor(_ adapterPath: String) async {
    monitors[adapterPath]?.unregistering()
    do {
      try await monitorCall("UnregisterMonitor", adapterPath)
    } catch {
      logger.debug("UnregisterMonitor: \(error.message)")
    }
    let wasReleased = monitors[adapterPath]?.isReleased ?? false
    monitors[adapterPath]?.unregistered()
    withdrawMonitor(adapterPath)
    if wasReleased { failReleasedScans(adapterPath) }
  }

  private func exportMonitor(_ adapterPath: String, to owner: String) {
    let objects = AdvertisementMonitor.objects(forAdapter: adapterPath, owner: owner) { [weak self] event in
      self?.assumeIsolated { $0.monitorSays(event, adapterPath) }
    }
    connection.assumeIsolated { $0.export(objects) }
  }

  private func withdrawMonitor(_ adapterPath: String) {
    connection.assumeIsolated { $0.withdraw(AdvertisementMonitor.root(ofAdapter: adapterPath)) }
  }

  /// Gives the monitors back without waiting.
  func postUnregisterMonitors() {
    for (path, session) in monitors where session.isRegistered {
      connection.post(
        Message(call: "UnregisterMonitor", of: BlueZ.monitorManager, at: path, to: BlueZ.service) {
          $0.objectPath(AdvertisementMonitor.root(ofAdapter: path))
        })
    }
  }

  /// Forgets the monitors of an adapter that is gone, or all of them with the service.
  func forgetMonitors(of adapterPath: String? = nil) {
    for path in adapterPath.map({ [$0] }) ?? Array(monitors.keys)
    where monitors.removeValue(forKey: path) != nil {
      withdrawMonitor(path)
    }
  }

  // MARK: What BlueZ says

  private func monitorSays(_ event: AdvertisementMonitor.Event, _ adapterPath: String) {
    switch event {
    case .activated: logger.debug("the monitor of \(adapterPath) is active")
    case .released:
      guard monitors[adapterPath]?.released() == true else { return }
      Task(executorPreference: loop) { [weak self] in try? await self?.settleMonitor(of: adapterPath) }
    case .found(let path):
      let isKnown = model.devices[path] != nil
      if monitors[adapterPath]?.found(path, isKnown: isKnown, at: LoopClock.now) == true {
        heard(path, in: .passive)
      }
    case .lost(let path):
      if let device = model.devices[path] { lost(device, in: .passive) }
    }
  }

  /// A device has become known: a monitor may have told of it before.
  func reportAwaited(_ path: String) {
    guard !monitors.isEmpty, let device = model.devices[path] else { return }
    if monitors[device.adapterPath]?.added(path) == true { heard(path, in: .passive) }
  }

  /// Ends the passive scans of an adapter: BlueZ has given them up.
  ///
  /// What became of the adapter is known by now, since a call was answered in between: that says more.
  private func failReleasedScans(_ adapterPath: String) {
    failScans()
    let error = BLEError(
      .failed, operation: "scan passively", message: "BlueZ has ended the scan of its own accord")
    for scan in scans.values where scan.adapterPath == adapterPath && scan.mode == .passive {
      scan.fail(error)
    }
  }
}
