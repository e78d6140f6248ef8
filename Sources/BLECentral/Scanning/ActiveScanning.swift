// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Controls the discovery that the active scans of one adapter share.
struct ActiveScanning {
  let adapter: AdapterSession

  /// How long BlueZ may take to start or stop a discovery; normally it replies at once.
  private static let replyTime = Duration.seconds(5)
  /// How long to wait for a start before probing BlueZ, and after the probe: after a standstill, it is only
  /// late.
  private static let startTime = Duration.seconds(2)
  /// How many times to try a start that BlueZ or the kernel refuses temporarily.
  private static let attempts = 4
  /// How long to restart a lost discovery before the scans end with the reason.
  private static let healingTime = Duration.seconds(10)
  /// How long scans stay paused after a connection; the one that found the device usually ends in this time.
  private static let pauseAfterConnecting = Duration.milliseconds(100)

  private var path: String { adapter.path }

  /// Brings BlueZ's discovery to the state that the scans need.
  func settle(in central: isolated CentralManager) async throws(BLEError) {
    let queue = adapter.discovery.queue
    try await queue.take(
      for: Operation(.scan, timeout: ActiveScanning.replyTime), on: central.loop,
      orFailWith: "BlueZ does not complete the previous call")
    defer { queue.release() }
    while true {
      adapter.discovery.wanted = DiscoveryFilter(
        adapter.runningScans(.active).map { ($0.filter, $0.reportsDuplicates) })
      switch adapter.discovery.nextStep() {
      case .nothing: return
      case .setFilter(let filter): try await setFilter(filter, in: central)
      case .start:
        try await startDiscovery(in: central)
      case .stop:
        adapter.discovery.stopped()
        await stopDiscovery(in: central)
      }
    }
  }

  /// Does the same in the background; scans that BlueZ refuses for too long end with the reason.
  func keep(in central: isolated CentralManager) {
    central.inBackground { [path] central in
      guard let adapter = central.sessions.adapters[path] else { return }
      await ActiveScanning(adapter: adapter).persist(in: central)
    }
  }

  private func persist(in central: isolated CentralManager) async {
    let operation = Operation(.scan, timeout: ActiveScanning.healingTime)
    var delay = Duration.milliseconds(500)
    while true {
      do throws(BLEError) {
        return try await settle(in: central)
      } catch {
        let waiting = Array(adapter.runningScans(.active))
        if waiting.isEmpty { return }
        central.logger.debug("cannot continue the scan for the moment: \(error.message)")
        if operation.deadline.isOver {
          for scan in waiting { scan.fail(error) }
          return
        }
        try? await central.pause(delay, for: operation)
        delay = min(delay * 2, .seconds(2))
      }
    }
  }

  // MARK: Calls

  private func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: BlueZ.adapter, at: path, to: BlueZ.service, body)
  }

  private func adapterCall(
    _ message: Message, in central: isolated CentralManager,
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) {
    try await central.client.call(
      message, for: Operation(.scan, timeout: ActiveScanning.replyTime), over: adapter.discovery.bus,
      observer: observer)
  }

  private func setFilter(
    _ filter: DiscoveryFilter, in central: isolated CentralManager
  ) async throws(BLEError) {
    do {
      try await setFilter(filter, withPattern: true, in: central)
    } catch {
      guard case .invalidArguments = error.cause else { throw error }
      try await setFilter(filter, withPattern: false, in: central)
    }
  }

  private func setFilter(
    _ filter: DiscoveryFilter, withPattern: Bool, in central: isolated CentralManager
  ) async throws(BLEError) {
    let call = message("SetDiscoveryFilter") { $0.properties(filter.arguments(withPattern: withPattern)) }
    try await adapterCall(call, in: central) { [weak central, path] outcome in
      // In order with the signals: the adapter may go off right behind the answer, and BlueZ then forgets the filter.
      guard case .success = outcome else { return }
      central?.assumeIsolated { $0.sessions.adapters[path]?.discovery.filterSet(filter) }
    }
  }

  /// Calls StartDiscovery, and again after InProgress; ends one of our sessions first if it is stuck.
  private func startDiscovery(in central: isolated CentralManager) async throws(BLEError) {
    for attempt in 1... {
      do {
        if try await startIsAnswered(in: central) { return }
        return try await moveDiscovery(in: central)  // with the filter, which comes next
      } catch  where error.code == .busy && attempt < ActiveScanning.attempts {
        central.logger.debug("StartDiscovery is refused for the moment: \(error.message)")
        await stopDiscovery(in: central)
        try await central.pause(.milliseconds(300 * attempt), for: Operation(.scan, until: .never))
      }
    }
  }

  /// Returns false if BlueZ answers other calls, but not this one.
  private func startIsAnswered(in central: isolated CentralManager) async throws(BLEError) -> Bool {
    let (start, bus) = (Answer<Result<Message, BLEError>>(), adapter.discovery.bus)
    adapter.discovery.isStarting = true
    defer { adapter.discovery.isStarting = false }
    central.client.begin(message("StartDiscovery"), timeout: CentralManager.lateReplyTime, over: bus) {
      [weak central, path] outcome in
      guard let central else { return }
      central.assumeIsolated { central in
        if case .success = outcome, let adapter = central.sessions.adapters[path] {
          ActiveScanning(adapter: adapter).started(over: bus, in: central)
        }
        start.fulfil(outcome.mapError { central.client.reason(of: $0, for: .scan) })
      }
    }
    var reply = try await start.value(
      for: Operation(.scan, timeout: ActiveScanning.startTime), on: central.loop)
    if reply == nil {
      let operation = Operation(.scan, timeout: ActiveScanning.replyTime)
      try await central.property("Discovering", of: BlueZ.adapter, at: path, operation)
      reply = try await start.value(
        for: Operation(.scan, timeout: ActiveScanning.startTime), on: central.loop)
    }
    _ = try reply?.get()
    return reply != nil
  }

  /// Notes that BlueZ started our discovery, in order with the signals, so that an immediate loss is not
  /// missed.
  private func started(over bus: Connection?, in central: isolated CentralManager) {
    guard bus === adapter.discovery.bus else {  // too late: another connection has taken its place
      return central.client.begin(message("StopDiscovery"), timeout: ActiveScanning.replyTime, over: bus) {
        _ in
      }
    }
    adapter.discovery.started(isDiscovering: central.model.adapters[path]?.isDiscovering == true)
    if !adapter.discovery.isStarting { keep(in: central) }  // stops it if no scan is left
  }

  /// Continues over a separate connection; the first one carries notifications, and stays.
  ///
  /// If another program starts a discovery at the same time, BlueZ 5.66 forgets the reply and with it the
  /// session, which can neither be used nor stopped until its connection closes.
  private func moveDiscovery(in central: isolated CentralManager) async throws(BLEError) {
    guard adapter.discovery.bus == nil else {
      throw BLEError(.timedOut, during: .scan, "no answer before the timeout")
    }
    central.logger.debug("StartDiscovery is not answered: scanning over another connection")
    let bus: Connection
    do {
      bus = try await Connection.open(
        central.client.bus.busAddress, on: central.loop, timeout: ActiveScanning.replyTime,
        logger: central.logger)
    } catch {
      throw BLEError(error, during: .scan)
    }
    if adapter.discovery.isRunning { await bus.close() } else { adapter.discovery.move(to: bus) }
  }

  /// Ends the session; an error means that the adapter is off, or that another program still scans.
  private func stopDiscovery(in central: isolated CentralManager) async {
    do {
      try await adapterCall(message("StopDiscovery"), in: central)
    } catch {
      central.logger.debug("StopDiscovery: \(error.message)")
    }
  }

  // MARK: Pauses

  /// Stops scanning while a connection is made: an active scan at full duty would make it fail.
  func pause(in central: isolated CentralManager) async {
    adapter.discovery.pauses += 1
    if adapter.discovery.isRunning { try? await settle(in: central) }
  }

  /// Resumes scanning a moment later, if a scan is still wanted then.
  func resume(in central: isolated CentralManager) {
    _ = central.loop.schedule(at: LoopClock.now + ActiveScanning.pauseAfterConnecting) { [self] in
      adapter.discovery.pauses = max(adapter.discovery.pauses - 1, 0)
      keep(in: central)
    }
  }
}
