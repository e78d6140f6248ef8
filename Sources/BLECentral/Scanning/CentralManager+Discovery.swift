// SPDX-License-Identifier: MIT
internal import DBus
internal import Logging

extension CentralManager {
  /// How long BlueZ may take to start or stop: it never should.
  private static let patience = Duration.seconds(5)
  /// How often a start is tried that BlueZ, or the kernel, refuses for the moment.
  private static let attempts = 4

  /// Does what is needed for BlueZ's discovery to be as the scans want it.
  func settleDiscovery(of adapterPath: String) async throws(BLEError) {
    let deadline = Deadline(after: CentralManager.patience)
    let session = discoveries[adapterPath] ?? DiscoverySession()
    discoveries[adapterPath] = session
    let queue = session.queue
    guard await queue.take(until: deadline, on: loop) else {
      throw BLEError(.timedOut, operation: "scan", message: "BlueZ does not finish what was asked before")
    }
    defer { queue.release() }
    while true {
      discoveries[adapterPath]?.wanted = DiscoveryFilter(
        scans.values.filter { $0.mode == .active && $0.adapterPath == adapterPath }.map {
          ($0.filter, $0.reportsDuplicates)
        })
      switch discoveries[adapterPath]?.nextStep() ?? .nothing {
      case .nothing: return
      case .setFilter(let filter):
        try await setFilter(filter, adapterPath)
        discoveries[adapterPath]?.filterSet(filter)
      case .start:
        try await startDiscovery(adapterPath)
        discoveries[adapterPath]?.started(isDiscovering: model.adapters[adapterPath]?.isDiscovering == true)
      case .stop:
        discoveries[adapterPath]?.stopped()
        await stopDiscovery(adapterPath)
      }
    }
  }

  private func adapterCall(
    _ member: String, _ path: String, _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(BLEError) {
    let message = Message(call: member, of: BlueZ.adapter, at: path, to: BlueZ.service, body)
    try await call(message, for: "scan", until: Deadline(after: CentralManager.patience))
  }

  private func setFilter(_ filter: DiscoveryFilter, _ path: String) async throws(BLEError) {
    do {
      try await adapterCall("SetDiscoveryFilter", path) {
        $0.properties(filter.arguments(withPattern: true))
      }
    } catch  where error.dbusName == BlueZ.errorPrefix + "InvalidArguments" {
      try await adapterCall("SetDiscoveryFilter", path) {
        $0.properties(filter.arguments(withPattern: false))
      }
    }
  }

  /// InProgress means that BlueZ or the kernel is busy, or that a session of ours is stuck: it is ended, and tried again.
  private func startDiscovery(_ path: String) async throws(BLEError) {
    for attempt in 1... {
      do {
        return try await adapterCall("StartDiscovery", path)
      } catch  where error.code == .busy && attempt < CentralManager.attempts {
        logger.debug("StartDiscovery is refused for the moment: \(error.message)")
        await stopDiscovery(path)
        try await pause(.milliseconds(300 * attempt), until: .never, for: "scan")
      }
    }
  }

  /// Whatever BlueZ answers, the session is over: the adapter is off, or another one goes on.
  private func stopDiscovery(_ path: String) async {
    do {
      try await adapterCall("StopDiscovery", path)
    } catch {
      logger.debug("StopDiscovery: \(error.message)")
    }
  }

  // MARK: Pauses

  /// Stops scanning for a while, so that a connection gets through: active scanning at full duty makes it fail.
  func pauseDiscovery(of adapterPath: String) async {
    discoveries[adapterPath, default: DiscoverySession()].pauses += 1
    if discoveries[adapterPath]?.isRunning == true { try? await settleDiscovery(of: adapterPath) }
  }

  /// Goes on scanning, where a scan still wants it a moment later: the one that found the device mostly ends now.
  func resumeDiscovery(of adapterPath: String) {
    _ = loop.schedule(at: .now + .milliseconds(100)) { [weak self] in
      self?.assumeIsolated { central in
        guard let session = central.discoveries[adapterPath], session.pauses > 0 else { return }
        central.discoveries[adapterPath]?.pauses -= 1
        Task(executorPreference: central.loop) { try? await central.settleDiscovery(of: adapterPath) }
      }
    }
  }
}
