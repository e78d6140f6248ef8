// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Controls the advertisement monitor that the passive scans of one adapter share.
struct PassiveScanning {
  let adapter: AdapterSession

  /// How long BlueZ may take to register or unregister a monitor; normally it replies at once.
  private static let replyTime = Duration.seconds(5)

  private var path: String { adapter.path }
  private var operation: Operation {
    Operation(.scanPassively, timeout: PassiveScanning.replyTime)
  }

  /// Brings BlueZ's monitor to the state that the passive scans need.
  func settle(in central: isolated CentralManager) async throws(BLEError) {
    let queue = adapter.monitor.queue
    try await queue.take(
      for: operation,
      on: central.loop,
      orFailWith: "BlueZ does not complete the previous call")
    defer { queue.release() }
    while true {
      adapter.monitor.isWanted = adapter.runningScans(.passive).contains { _ in true }
      switch adapter.monitor.nextStep() {
      case .nothing: return
      case .register: try await register(in: central)
      case .unregister: await unregister(in: central)
      }
    }
  }

  func keep(in central: isolated CentralManager) {
    central.inBackground { [path] central in
      guard let adapter = central.sessions.adapters[path] else { return }
      try? await PassiveScanning(adapter: adapter).settle(in: central)
    }
  }

  // MARK: Calls

  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.monitorManager, at: path, to: BlueZ.service) {
      $0.objectPath(AdvertisementMonitor.root(ofAdapter: path))
    }
  }

  private func call(_ member: String, in central: isolated CentralManager) async throws(BLEError) {
    try await central.client.call(message(member), for: operation)
  }

  private func register(in central: isolated CentralManager) async throws(BLEError) {
    guard let owner = central.owner else {
      throw operation.error(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    }
    export(to: owner, in: central)  // before the call: BlueZ reads it before it answers
    adapter.monitor.registering()
    do {
      try await call("RegisterMonitor", in: central)
      adapter.monitor.registered()
    } catch {
      adapter.monitor.unregistered()
      // BlueZ may still register a monitor whose call was cancelled, and would refuse the next one.
      if [.cancelled, .timedOut].contains(error.code) {
        central.connection.post(message("UnregisterMonitor"))
      }
      withdraw(in: central)
      // The interface is missing when experimental features are off.
      guard case .unknownMethod = error.cause else { throw error }
      throw operation.error(.notSupported, "bluetoothd offers it only with experimental features on")
        .caused(by: error)
    }
  }

  /// Unregisters the monitor; whatever BlueZ answers, it is gone.
  private func unregister(in central: isolated CentralManager) async {
    adapter.monitor.unregistering()
    do {
      try await call("UnregisterMonitor", in: central)
    } catch {
      central.logger.debug("UnregisterMonitor: \(error.message)")
    }
    let wasReleased = adapter.monitor.isReleased
    adapter.monitor.unregistered()
    withdraw(in: central)
    if wasReleased { failReleasedScans(in: central) }
  }

  private func export(to owner: String, in central: isolated CentralManager) {
    let objects = AdvertisementMonitor.objects(forAdapter: path, owner: owner) { [weak central, path] event in
      central?.assumeIsolated { central in
        guard let adapter = central.sessions.adapters[path] else { return }
        PassiveScanning(adapter: adapter).receive(event, in: central)
      }
    }
    central.connection.assumeIsolated { $0.export(objects) }
  }

  func withdraw(in central: isolated CentralManager) {
    central.connection.assumeIsolated { [path] in $0.withdraw(AdvertisementMonitor.root(ofAdapter: path)) }
  }

  // MARK: Calls of BlueZ

  private func receive(_ event: AdvertisementMonitor.Event, in central: isolated CentralManager) {
    switch event {
    case .activated: central.logger.debug("the monitor of \(path) is active")
    case .released: if adapter.monitor.released() { keep(in: central) }
    case .found(let path):
      let isKnown = central.model.devices.contains(path)
      if adapter.monitor.found(path, isKnown: isKnown, at: LoopClock.now) {
        central.sessions.heard(path, in: central) { $0.heard($1, in: .passive) }
      }
    case .lost(let path): central.sessions.heard(path, in: central) { $0.lost($1, in: .passive) }
    }
  }

  /// Ends the passive scans after BlueZ released their monitor; a change of the adapter is the better reason.
  private func failReleasedScans(in central: isolated CentralManager) {
    central.sessions.failScans(in: central)
    let error = operation.error(.failed, "BlueZ ended the scan")
    for scan in Array(adapter.runningScans(.passive)) { scan.fail(error) }
  }
}
