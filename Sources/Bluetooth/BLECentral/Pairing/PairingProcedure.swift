// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Logging

/// Pairs with one device, over an existing link or one that Pair opens.
struct PairingProcedure {
  let device: DeviceSession
  let operation: Operation

  /// The time limit for a pairing of BlueZ's own without a question, and the interval between checks.
  private static let timeOfOthers = Duration.seconds(2)
  private static let pauseForOthers = Duration.milliseconds(100)

  private var core: CentralCore { device.core }
  private var path: String { device.path }
  private var waits: LinkWaits { LinkWaits(device: device, operation: operation) }

  /// Pairs in the turn of this pairing, with its own agent.
  func pair(
    using agent: any PairingAgent
  ) async throws(BLEError) -> PairingOutcome {
    let session = core.agent
    if !device.link.isHeld {
      // The manager itself has made BlueZ forget the device.
      try await StalledLink(device: device, operation: operation).close()
    }
    try requireUnpaired()
    try await session.pairings.take(
      for: operation, on: core.loop, orFailWith: "another pairing of this program takes too long")
    defer { session.pairings.release() }
    try requireUnpaired()  // another task may have paired meanwhile
    let answerer = AgentSession.Answerer(agent, for: path)
    session.begin(pairing: answerer)
    let task = core.inBackground { await self.outcome(answerer) }
    answerer.task = task
    let outcome = await task.attachedResult.get()
    session.questions.withdraw(about: path)
    session.endPairing()
    await session.keep().value
    return try outcome.get()
  }

  private func outcome(_ answerer: AgentSession.Answerer) async -> Result<PairingOutcome, BLEError> {
    guard core.agent.pairing === answerer else { return .failure(operation.cancelled) }
    do throws(BLEError) {
      try await core.agent.settle(operation)
      return .success(try await pair(answerer))
    } catch {
      guard error.code == .cancelled, answerer.failure == .cancelled else { return .failure(error) }
      return .failure(operation.error(.pairingCancelled, "the pairing was cancelled"))
    }
  }

  /// Pairs over the existing link, or opens one by pairing.
  ///
  /// Such a link is closed if the pairing fails: BlueZ 5.66 would forget the connected device.
  private func pair(
    _ answerer: AgentSession.Answerer
  ) async throws(BLEError) -> PairingOutcome {
    let wasHeld = device.link.isHeld
    do throws(BLEError) {
      let opener = LinkOpener(device: device, operation: operation)
      let isJoined = try await opener.inTurn(
        orFailWith: "connecting to the device takes too long"
      ) { () throws(BLEError) in
        if try await join(answerer) { return true }
        try await open(answerer)
        return false
      }
      if isJoined { try await pairOverLink(answerer) }
      let shown = try core.device(path, for: operation.action)
      core.agent.questions.devicePaired(path)
      return PairingOutcome(method: answerer.method ?? .justWorks, isBonded: shown.isBonded)
    } catch {
      if !wasHeld { await LinkCloser(device: device).release() }
      throw error
    }
  }

  private func requireUnpaired() throws(BLEError) {
    // Pair is never called for a paired device: BlueZ 5.66 then tries BR/EDR, and does not answer.
    let shown = try core.device(path, for: operation.action)
    if shown.isPaired || shown.isBonded {
      throw operation.error(.alreadyPaired, "the device is paired already")
    }
  }

  // MARK: Over the link that exists

  /// Uses the link if one exists; returns false, holding the lock, if not.
  private func join(
    _ answerer: AgentSession.Answerer
  ) async throws(BLEError) -> Bool {
    while true {
      try await StalledLink(device: device, operation: operation).close()
      let shown = try core.device(path, for: operation.action)
      try shown.requireNotBlocked(operation)
      if shown.isConnected, device.link.isHeld {
        guard isUnsuitable(for: answerer.agent) else { return true }
        if await LinkCloser(device: device).releaseInTurn() {
          try await waits.waitUntilDisconnected()
        } else {
          core.agent.linkCapabilities[path] = answerer.agent.capability  // others use the link
        }
        continue
      }
      try await waits.enterLock()
      guard core.isConnected(path) else { return false }
      if try await LinkJoiner(device: device, operation: operation).join() { return true }
    }
  }

  /// Returns whether a link that this manager opened is better replaced for a pairing: since 5.81, BlueZ
  /// pairs over a link as the agent could when it was opened.
  private func isUnsuitable(for agent: any PairingAgent) -> Bool {
    let adapter = core.client.model.adapters[BlueZ.adapterPath(ofDevice: path)]
    guard device.link.isOurs, let version = adapter?.version, version >= BlueZVersion(major: 5, minor: 81)
    else { return false }
    return core.agent.linkCapabilities[path] != agent.capability
      && !core.sessions.attributes(of: device).contains { $0.notifications != nil }
  }

  private func pairOverLink(
    _ answerer: AgentSession.Answerer
  ) async throws(BLEError) {
    var timeLeft = PairingProcedure.timeOfOthers
    while core.client.model.devices[path]?.isPaired != true {
      do throws(BLEError) {
        return try await PairCall(device: device, answerer: answerer, operation: operation).run()
      } catch {
        // BlueZ may be pairing already because the device asked for it; our agent then has its question.
        let isOurs = core.agent.questions.contain(path)
        guard error.code == .pairingInProgress, isOurs || timeLeft > .zero else { throw error }
        if !isOurs { timeLeft -= PairingProcedure.pauseForOthers }
        try await core.pause(PairingProcedure.pauseForOthers, for: operation)
        if operation.deadline.isOver { throw error }
      }
    }
  }

  // MARK: Over a link that Pair opens

  /// Opens a link by pairing, and waits for its services.
  ///
  /// Pair comes before Connect so that the link is encrypted before BlueZ discovers the services and reads
  /// values such as the battery level. If such a value requires encryption, BlueZ itself would pair, with the
  /// default agent.
  private func open(
    _ answerer: AgentSession.Answerer
  ) async throws(BLEError) {
    let shown = try core.device(path, for: operation.action)
    let adapter = core.sessions.adapter(shown.adapterPath)
    let scanning = ActiveScanning(adapter: adapter)
    await scanning.pause()
    defer { scanning.resume() }
    answerer.opensLink = true
    do throws(BLEError) {
      while try await !isPaired(answerer, adapter) {
        try await waits.settleAfterFailure()
      }
      device.link.hold(.opened)
      device.lock.mark(isOurs: true)
      try await waits.waitForServices()
    } catch {
      // The link was made for the pairing.
      if core.isConnected(path) { device.lock.mark(isOurs: true) }
      device.released()
      throw error
    }
  }

  /// Calls Pair in this device's turn, until the link ends; returns false if another attempt may get a link.
  private func isPaired(
    _ answerer: AgentSession.Answerer, _ adapter: AdapterSession
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    try await turns.take(
      for: operation, on: core.loop, orFailWith: "connections to other devices take too long")
    do throws(BLEError) {
      try await waits.rest()
    } catch {
      turns.release()
      throw error
    }
    do throws(BLEError) {
      let call = PairCall(device: device, answerer: answerer, operation: operation)
      try await call.run() { turns.release() }
      return true
    } catch {
      guard error.isTransient, !operation.deadline.isOver else { throw error }
      core.logger.debug("cannot \(operation.action) for the moment: \(error.message)")
      return false
    }
  }
}
