// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension CentralManager {
  /// How long BlueZ may take to start or stop: it never should.
  private static let patience = Duration.seconds(5)
  /// How often a start is tried that BlueZ, or the kernel, refuses for the moment.
  private static let attempts = 4
  /// How long a session that was lost is asked for again, before the scans end with the reason.
  private static let healingTime = Duration.seconds(10)

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
      case .stop:
        discoveries[adapterPath]?.stopped()
        await stopDiscovery(adapterPath)
      }
    }
  }

  /// Does the same where no caller waits for the outcome: scans that BlueZ refuses for too long end with the reason.
  func keepDiscovery(of adapterPath: String) {
    Task(executorPreference: loop) { [weak self] in await self?.persistWithDiscovery(of: adapterPath) }
  }

  private func persistWithDiscovery(of adapterPath: String) async {
    let deadline = Deadline(after: CentralManager.healingTime)
    var delay = Duration.milliseconds(500)
    while true {
      do throws(BLEError) {
        return try await settleDiscovery(of: adapterPath)
      } catch {
        let waiting = scans.values.filter {
          $0.mode == .active && $0.adapterPath == adapterPath && !$0.isOver
        }
        if waiting.isEmpty { return }
        logger.debug("cannot go on with the scan for the moment: \(error.message)")
        if deadline.isOver {
          for scan in waiting { scan.fail(error) }
          return
        }
        try? await pause(delay, until: deadline, for: "scan")
        delay = min(delay * 2, .seconds(2))
      }
    }
  }

  private func adapterCall(
    _ member: String, _ path: String, _ body: (inout MessageWriter) -> Void = { _ in },
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) {
    let message = Message(call: member, of: BlueZ.adapter, at: path, to: BlueZ.service, body)
    let deadline = Deadline(after: CentralManager.patience)
    try await call(message, for: "scan", until: deadline, over: discoveries[path]?.bus, observer: observer)
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
  ///
  /// The session runs from the place of the reply among the signals: one that is lost at once is not missed.
  private func startDiscovery(_ path: String) async throws(BLEError) {
    for attempt in 1... {
      do {
        return try await adapterCall(
          "StartDiscovery", path,
          observer: { [weak self] outcome in
            guard let self, case .success = outcome else { return }
            assumeIsolated { central in
              let isDiscovering = central.model.adapters[path]?.isDiscovering == true
              central.discoveries[path]?.started(isDiscovering: isDiscovering)
            }
          })
      } catch  where error.code == .busy && attempt < CentralManager.attempts {
        logger.debug("StartDiscovery is refused for the moment: \(error.message)")
        await stopDiscovery(path)
        try await pause(.milliseconds(300 * attempt), until: .never, for: "scan")
      } catch  where error.code == .timedOut && discoveries[path]?.bus == nil {
        return try await moveDiscovery(of: path)  // with the filter, which comes next
      }
    }
  }

  /// Goes on over a connection of its own.
  ///
  /// BlueZ 5.66 forgets the reply when another program starts a discovery at the same time, and with it the session: it
  /// can neither be used nor stopped before its connection has gone. What is notified comes over the first one, which
  /// therefore stays.
  private func moveDiscovery(of path: String) async throws(BLEError) {
    logger.debug("StartDiscovery is not answered: scanning over another connection")
    let other: Connection
    do {
      other = try await Connection.open(
        bus.busAddress, on: loop, timeout: CentralManager.patience, logger: logger)
    } catch {
      throw BLEError(error, operation: "scan")
    }
    discoveries[path]?.move(to: other)
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
    _ = loop.schedule(at: LoopClock.now + .milliseconds(100)) { [weak self] in
      self?.assumeIsolated { central in
        guard let session = central.discoveries[adapterPath], session.pauses > 0 else { return }
        central.discoveries[adapterPath]?.pauses -= 1
        central.keepDiscovery(of: adapterPath)
      }
    }
  }
}
