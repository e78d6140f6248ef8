// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Controls the advertisement monitor that the passive scans of one adapter share.
struct PassiveScanning {
  let adapter: AdapterSession

  /// The time limit for BlueZ to register or unregister a monitor.
  ///
  /// Normally it replies at once.
  private static let replyTime = Duration.seconds(5)

  private var core: CentralCore { adapter.core }
  private var path: String { adapter.path }
  private var operation: Operation {
    Operation(.scanPassively, timeout: PassiveScanning.replyTime)
  }

  /// Brings BlueZ's monitor to the state that the passive scans need.
  func settle() async throws(BLEError) {
    let queue = adapter.monitor.queue
    try await queue.take(
      for: operation,
      on: core.loop,
      orFailWith: "BlueZ does not complete the previous call")
    defer { queue.release() }
    while true {
      adapter.monitor.isWanted = adapter.runningScans(.passive).contains { _ in true }
      switch adapter.monitor.nextStep() {
      case .nothing: return
      case .register: try await register()
      case .unregister: await unregister()
      }
    }
  }

  func keep() {
    core.inBackground { try? await settle() }
  }

  // MARK: Calls

  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.monitorManager, at: path, to: BlueZ.service) {
      $0.objectPath(AdvertisementMonitor.root(ofAdapter: path))
    }
  }

  private func call(_ member: String) async throws(BLEError) {
    try await core.client.call(message(member), for: operation)
  }

  private func register() async throws(BLEError) {
    guard let owner = core.owner else {
      throw operation.error(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    }
    export(to: owner)  // before the call: BlueZ reads it before it answers
    adapter.monitor.registering()
    do {
      try await call("RegisterMonitor")
      adapter.monitor.registered()
    } catch {
      adapter.monitor.unregistered()
      // BlueZ may still register a monitor whose call was cancelled, and would refuse the next one.
      if [.cancelled, .timedOut].contains(error.code) {
        core.connection.post(message("UnregisterMonitor"))
      }
      withdraw()
      // The interface is missing when experimental features are off.
      guard case .unknownMethod = error.cause else { throw error }
      throw operation.error(.notSupported, "bluetoothd offers it only with experimental features on")
        .caused(by: error)
    }
  }

  /// Unregisters the monitor; whatever BlueZ answers, it is gone.
  private func unregister() async {
    adapter.monitor.unregistering()
    do {
      try await call("UnregisterMonitor")
    } catch {
      core.logger.debug("UnregisterMonitor: \(error.message)")
    }
    let wasReleased = adapter.monitor.isReleased
    adapter.monitor.unregistered()
    withdraw()
    if wasReleased { failReleasedScans() }
  }

  private func export(to owner: String) {
    let received = core.loop.confined { [weak core, path] (event: AdvertisementMonitor.Event) in
      guard let adapter = core?.sessions.adapters[path] else { return }
      PassiveScanning(adapter: adapter).receive(event)
    }
    let objects = AdvertisementMonitor.objects(forAdapter: path, owner: owner, handler: received)
    core.connection.assumeIsolated { $0.export(objects) }
  }

  func withdraw() {
    core.connection.assumeIsolated { [path] in $0.withdraw(AdvertisementMonitor.root(ofAdapter: path)) }
  }

  // MARK: Calls of BlueZ

  private func receive(_ event: AdvertisementMonitor.Event) {
    switch event {
    case .activated: core.logger.debug("the monitor of \(path) is active")
    case .released: if adapter.monitor.released() { keep() }
    case .found(let path):
      let isKnown = core.client.model.devices.contains(path)
      if adapter.monitor.found(path, isKnown: isKnown, at: LoopClock.now) {
        core.sessions.heard(path) { $0.heard($1, in: .passive) }
      }
    case .lost(let path): core.sessions.heard(path) { $0.lost($1, in: .passive) }
    }
  }

  /// Ends the passive scans after BlueZ released their monitor; a change of the adapter is the better reason.
  private func failReleasedScans() {
    core.sessions.failScans()
    let error = operation.error(.failed, "BlueZ ended the scan")
    for scan in Array(adapter.runningScans(.passive)) { scan.fail(error) }
  }
}
