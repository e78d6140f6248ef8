// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

/// The advertisement monitor that passive scans share.
extension AdapterSession {
  /// How long BlueZ may take to register or unregister a monitor, which it does at once.
  private static let monitorReplyTime = Duration.seconds(5)

  private var operation: Operation {
    Operation("scan passively", timeout: AdapterSession.monitorReplyTime)
  }

  /// Brings BlueZ's monitor to the state that the passive scans need.
  func settleMonitor(in central: isolated CentralManager) async throws(BLEError) {
    let queue = monitor.queue
    try await queue.take(
      for: operation,
      on: central.loop,
      orFailWith: "BlueZ does not finish what was asked before")
    defer { queue.release() }
    while true {
      monitor.isWanted = runningScans(.passive).contains { _ in true }
      switch monitor.nextStep() {
      case .nothing: return
      case .register: try await registerMonitor(in: central)
      case .unregister: await unregisterMonitor(in: central)
      }
    }
  }

  /// Does the same in the background.
  func keepMonitor(in central: isolated CentralManager) {
    central.inBackground { [path] central in
      try? await central.adapterSessions[path]?.settleMonitor(in: central)
    }
  }

  // MARK: Calls

  func monitorMessage(_ member: String) -> Message {
    Message(call: member, of: BlueZ.monitorManager, at: path, to: BlueZ.service) {
      $0.objectPath(AdvertisementMonitor.root(ofAdapter: path))
    }
  }

  private func monitorCall(_ member: String, in central: isolated CentralManager) async throws(BLEError) {
    try await central.call(monitorMessage(member), for: operation)
  }

  private func registerMonitor(in central: isolated CentralManager) async throws(BLEError) {
    guard let owner = central.owner else {
      throw operation.error(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    }
    exportMonitor(to: owner, in: central)  // before the call: BlueZ reads it before it answers
    monitor.registering()
    do {
      try await monitorCall("RegisterMonitor", in: central)
      monitor.registered()
    } catch {
      monitor.unregistered()
      // BlueZ may still register what was cancelled, and would refuse the next one.
      if [.cancelled, .timedOut].contains(error.code) {
        central.connection.post(monitorMessage("UnregisterMonitor"))
      }
      withdrawMonitor(in: central)
      // The interface is missing when experimental features are off.
      guard error.dbusName == ErrorName.unknownMethod || error.dbusName == ErrorName.unknownInterface else {
        throw error
      }
      throw BLEError(
        .notSupported, operation: operation.name,
        message: "bluetoothd offers it only with experimental features on", dbusName: error.dbusName)
    }
  }

  /// Takes the monitor back; whatever BlueZ answers, it is gone.
  private func unregisterMonitor(in central: isolated CentralManager) async {
    monitor.unregistering()
    do {
      try await monitorCall("UnregisterMonitor", in: central)
    } catch {
      central.logger.debug("UnregisterMonitor: \(error.message)")
    }
    let wasReleased = monitor.isReleased
    monitor.unregistered()
    withdrawMonitor(in: central)
    if wasReleased { failReleasedScans(in: central) }
  }

  private func exportMonitor(to owner: String, in central: isolated CentralManager) {
    let objects = AdvertisementMonitor.objects(forAdapter: path, owner: owner) { [weak central, path] event in
      central?.assumeIsolated { $0.adapterSessions[path]?.receive(event, in: $0) }
    }
    central.connection.assumeIsolated { $0.export(objects) }
  }

  func withdrawMonitor(in central: isolated CentralManager) {
    central.connection.assumeIsolated { [path] in $0.withdraw(AdvertisementMonitor.root(ofAdapter: path)) }
  }

  // MARK: Calls of BlueZ

  private func receive(_ event: AdvertisementMonitor.Event, in central: isolated CentralManager) {
    switch event {
    case .activated: central.logger.debug("the monitor of \(path) is active")
    case .released: if monitor.released() { keepMonitor(in: central) }
    case .found(let path):
      let device = central.model.devices[path]
      if monitor.found(path, isKnown: device != nil, at: LoopClock.now), let device {
        heard(device, in: .passive, central)
      }
    case .lost(let path):
      if let device = central.model.devices[path] { lost(device, in: .passive, central) }
    }
  }

  /// Ends the passive scans, which BlueZ has given up.
  ///
  /// If the adapter has changed, that is known by now, since a call was answered in between: it is the better reason.
  private func failReleasedScans(in central: isolated CentralManager) {
    central.failScans()
    let error = operation.error(.failed, "BlueZ has ended the scan of its own accord")
    for scan in Array(runningScans(.passive)) { scan.fail(error) }
  }
}
