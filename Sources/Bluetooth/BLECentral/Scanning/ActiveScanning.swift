// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Controls the discovery that the active scans of one adapter share.
struct ActiveScanning {
  let adapter: AdapterSession

  /// The time limit for BlueZ to start or stop a discovery.
  ///
  /// Normally it replies at once.
  private static let replyTime = Duration.seconds(5)
  /// The time to wait for a start before probing BlueZ, and again after the probe.
  ///
  /// After a standstill, the start is only late.
  private static let startTime = Duration.seconds(2)
  /// The maximum number of attempts at a start that BlueZ or the kernel refuses temporarily.
  private static let attempts = 4
  /// The time for restarting a lost discovery before the scans end with the reason.
  private static let healingTime = Duration.seconds(10)
  /// The time that scans stay paused after a connection.
  ///
  /// The scan that found the device usually ends within this time.
  private static let pauseAfterConnecting = Duration.milliseconds(100)

  private var core: CentralCore { adapter.core }
  private var path: String { adapter.path }

  /// Brings BlueZ's discovery to the state that the scans need.
  func settle() async throws(BLEError) {
    let queue = adapter.discovery.queue
    try await queue.take(
      for: Operation(.scan, timeout: ActiveScanning.replyTime), on: core.loop,
      orFailWith: "BlueZ does not complete the previous call")
    defer { queue.release() }
    while true {
      adapter.discovery.wanted = DiscoveryFilter(
        adapter.runningScans(.active).map { ($0.filter, $0.reportsDuplicates) })
      switch adapter.discovery.nextStep() {
      case .nothing: return
      case .setFilter(let filter): try await setFilter(filter)
      case .start:
        try await startDiscovery()
      case .stop:
        adapter.discovery.stopped()
        await stopDiscovery()
      }
    }
  }

  /// Does the same in the background; scans that BlueZ refuses for too long end with the reason.
  func keep() {
    core.inBackground { await persist() }
  }

  private func persist() async {
    let operation = Operation(.scan, timeout: ActiveScanning.healingTime)
    var delay = Duration.milliseconds(500)
    while true {
      do throws(BLEError) {
        return try await settle()
      } catch {
        let waiting = Array(adapter.runningScans(.active))
        if waiting.isEmpty { return }
        core.logger.debug("cannot continue the scan for the moment: \(error.message)")
        if operation.deadline.isOver {
          for scan in waiting { scan.fail(error) }
          return
        }
        try? await core.pause(delay, for: operation)
        delay = min(delay * 2, .seconds(2))
      }
    }
  }

  // MARK: Calls

  private func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: BlueZ.adapter, at: path, to: BlueZ.service, body)
  }

  private func adapterCall(
    _ message: Message,
    observer: ((Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) {
    try await core.client.call(
      message, for: Operation(.scan, timeout: ActiveScanning.replyTime), over: adapter.discovery.bus,
      observer: observer.map { core.loop.confined($0) })
  }

  private func setFilter(
    _ filter: DiscoveryFilter
  ) async throws(BLEError) {
    do {
      try await setFilter(filter, withPattern: true)
    } catch {
      guard case .invalidArguments = error.cause else { throw error }
      try await setFilter(filter, withPattern: false)
    }
  }

  private func setFilter(
    _ filter: DiscoveryFilter, withPattern: Bool
  ) async throws(BLEError) {
    let call = message("SetDiscoveryFilter") { $0.properties(filter.arguments(withPattern: withPattern)) }
    try await adapterCall(call) { [weak adapter] outcome in
      // In order with the signals: the adapter may go off right behind the answer, and BlueZ then forgets the filter.
      guard case .success = outcome else { return }
      adapter?.discovery.filterSet(filter)
    }
  }

  /// Calls StartDiscovery, and again after InProgress; ends one of our sessions first if it is stuck.
  private func startDiscovery() async throws(BLEError) {
    for attempt in 1... {
      do {
        if try await startIsAnswered() { return }
        return try await moveDiscovery()  // with the filter, which comes next
      } catch  where error.code == .busy && attempt < ActiveScanning.attempts {
        core.logger.debug("StartDiscovery is refused for the moment: \(error.message)")
        await stopDiscovery()
        try await core.pause(.milliseconds(300 * attempt), for: Operation(.scan, until: .never))
      }
    }
  }

  /// Returns false if BlueZ answers other calls, but not this one.
  private func startIsAnswered() async throws(BLEError) -> Bool {
    let bus = adapter.discovery.bus
    adapter.discovery.isStarting = true
    defer {
      adapter.discovery.isStarting = false
      adapter.discovery.call = nil
    }
    let start = begin("StartDiscovery", timeout: CentralCore.lateReplyTime) { [weak core, path] outcome in
      if case .success = outcome, let adapter = core?.sessions.adapters[path] {
        ActiveScanning(adapter: adapter).started(over: bus)
      }
    }
    var reply = try await start.value(
      for: Operation(.scan, timeout: ActiveScanning.startTime), on: core.loop)
    if reply == nil {
      let operation = Operation(.scan, timeout: ActiveScanning.replyTime)
      try await core.property("Discovering", of: BlueZ.adapter, at: path, operation)
      reply = try await start.value(
        for: Operation(.scan, timeout: ActiveScanning.startTime), on: core.loop)
    }
    _ = try reply?.get()
    return reply != nil
  }

  /// Records that BlueZ started our discovery, in order with the signals, so that an immediate loss is not
  /// missed.
  private func started(over bus: Connection?) {
    guard bus === adapter.discovery.bus else {  // too late: another connection has taken its place
      return core.client.begin(message("StopDiscovery"), timeout: ActiveScanning.replyTime, over: bus) {
        _ in
      }
    }
    adapter.discovery.started(isDiscovering: core.client.model.adapters[path]?.isDiscovering == true)
    if !adapter.discovery.isStarting { keep() }  // stops it if no scan is left
  }

  /// Continues over a separate connection; the first one carries notifications, and stays.
  ///
  /// If another program starts a discovery at the same time, BlueZ 5.66 forgets the reply and with it the
  /// session, which can neither be used nor stopped until its connection closes.
  private func moveDiscovery() async throws(BLEError) {
    guard adapter.discovery.bus == nil else {
      throw BLEError(.timedOut, during: .scan, "no answer before the timeout")
    }
    core.logger.debug("StartDiscovery is not answered: scanning over another connection")
    let bus: Connection
    do {
      bus = try await Connection.open(
        core.client.bus.busAddress, on: core.loop, timeout: ActiveScanning.replyTime,
        logger: core.logger)
    } catch {
      throw BLEError(error, during: .scan)
    }
    if adapter.discovery.isRunning { await bus.close() } else { adapter.discovery.move(to: bus) }
  }

  /// Ends the session; an error means that the adapter is off, or that another program still scans.
  private func stopDiscovery() async {
    let stop = begin("StopDiscovery", timeout: ActiveScanning.replyTime) { _ in }
    defer { adapter.discovery.call = nil }
    do throws(BLEError) {
      let reply = try await stop.value(
        for: Operation(.scan, timeout: ActiveScanning.replyTime), on: core.loop)
      _ = try reply?.get()
    } catch {
      // A manager that is closed has ended it by itself.
      if error.code != .cancelled { core.logger.debug("StopDiscovery: \(error.message)") }
    }
  }

  /// Calls a method that BlueZ leaves unanswered if the adapter goes off meanwhile, which then counts as the answer.
  private func begin(
    _ member: String, timeout: Duration, _ observer: @escaping (Result<Message, DBusError>) -> Void
  ) -> Promise<Result<Message, BLEError>> {
    let answer = Promise<Result<Message, BLEError>>()
    let answered = core.loop.confined { [weak core] (outcome: Result<Message, DBusError>) in
      guard let core else { return }
      observer(outcome)
      answer.fulfil(outcome.mapError { core.client.reason(of: $0, for: .scan) })
    }
    adapter.discovery.call = answer
    core.client.begin(message(member), timeout: timeout, over: adapter.discovery.bus, observer: answered)
    return answer
  }

  // MARK: Pauses

  /// Stops scanning while a connection is made: an active scan at full duty would make it fail.
  func pause() async {
    adapter.discovery.pauses += 1
    // A discovery that is being stopped runs until BlueZ answers, which then forgets the devices that accept no connections.
    if adapter.discovery.isRunning || !adapter.discovery.queue.isFree { try? await settle() }
  }

  /// Resumes scanning a moment later, if a scan is still wanted then.
  func resume() {
    _ = core.loop.schedule(at: LoopClock.now + ActiveScanning.pauseAfterConnecting) { [self, weak core] in
      guard core != nil else { return }
      adapter.discovery.pauses = max(adapter.discovery.pauses - 1, 0)
      keep()
    }
  }
}
