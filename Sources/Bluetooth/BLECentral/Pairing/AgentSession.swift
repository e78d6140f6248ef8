// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// The agent that the manager registers with bluetoothd, and its answerers; confined to the manager.
final class AgentSession {
  /// An agent that answers questions about one device or about all devices.
  final class Answerer {
    /// The reason that a pairing failed on our side.
    enum Failure {
      case rejected
      case unanswered
      case cancelled
    }

    let agent: any PairingAgent
    /// The device that it pairs with; nil answers for all devices.
    let devicePath: String?
    /// True if it also takes questions of pairings that no program began.
    let isDefault: Bool
    /// Derived from the last question that revealed it.
    var method: PairingMethod?
    var failure: Failure?
    /// True if it has refused to pair with the one device that it is for.
    var isPairingRejected: Bool { devicePath != nil && failure == .rejected }
    /// True if a question was refused or withdrawn, which ends the pairing.
    var isRefused = false
    var task: Task<Result<PairingOutcome, BLEError>, Never>?
    /// True if the link is opened for this pairing, and must be closed if it fails.
    var opensLink = false
    /// True if BlueZ has an unanswered request to pair.
    var isAsked = false

    init(_ agent: any PairingAgent, for devicePath: String?, isDefault: Bool = false) {
      self.agent = agent
      self.devicePath = devicePath
      self.isDefault = isDefault
    }
  }

  struct Registration: Equatable {
    let capability: PairingCapability
    let isDefault: Bool
    /// True if it is there only to hear which requests require pairing.
    var isWatch = false
  }

  /// The time limit for BlueZ to register an agent.
  ///
  /// Normally it replies at once.
  private static let replyTime = Duration.seconds(5)
  /// The time limit for BlueZ to unregister an agent.
  ///
  /// Whatever it answers, the agent is gone, and a command ends within 2 s.
  private static let timeToLeave = Duration.milliseconds(500)
  /// The time limit for the kernel to become pairable.
  ///
  /// It takes only a moment, unless the kernel ignores the setting.
  private static let kernelTime = Duration.milliseconds(300)
  static let path = "/blectl/pairing/agent"
  static let root = "/blectl/pairing"

  private unowned let core: CentralCore
  /// The current pairing; only one at a time, since an agent gets one question at a time.
  private(set) var pairing: Answerer?
  /// The answerer for pairings that this manager did not begin.
  private(set) var standing: Answerer?
  let pairings = AsyncMutex()
  /// Serializes the calls that register and unregister the agent.
  let registering = AsyncMutex()
  var registration: Registration?
  private(set) lazy var questions = PairingQuestions(core)

  /// Requests under way, for which BlueZ may want to pair.
  private var watchers = 0
  /// True if questions about such requests are heard, to refuse them.
  private var isWatching = false
  private var lastWatch = LoopClock.now
  /// True if another program's agent was there first, which BlueZ then asks.
  private(set) var isSecond = false

  /// By device, what this side could do when this manager last opened a link, if its own agent decided that.
  var linkCapabilities: [String: PairingCapability] = [:]

  init(_ core: CentralCore) { self.core = core }

  var wanted: Registration? {
    guard let answerer = pairing ?? standing else {
      // A device that can show or type a passkey then asks for one, and can be refused.
      return isWatching ? Registration(capability: .keyboardOnly, isDefault: false, isWatch: true) : nil
    }
    return Registration(capability: answerer.agent.capability, isDefault: standing?.isDefault ?? false)
  }

  func begin(pairing answerer: Answerer) { pairing = answerer }

  func endPairing() { pairing = nil }

  /// Records that BlueZ answered the call to pair with a device.
  func answered(_ devicePath: String) { if pairing?.devicePath == devicePath { pairing?.isAsked = false } }

  /// Cancels this manager's pairing with a device, and waits for its end.
  func cancelPairing(with devicePath: String, _ operation: Operation) async throws(BLEError) {
    guard let pairing, pairing.devicePath == devicePath, let task = pairing.task else {
      throw operation.error(.notFound, "this program is not pairing with the device")
    }
    pairing.failure = .cancelled
    task.cancel()
    _ = await task.value
  }

  func answerer(for devicePath: String) -> Answerer? {
    pairing.flatMap { $0.devicePath == devicePath ? $0 : nil } ?? standing
  }

  /// Handles a call of bluetoothd to our agent.
  func receive(_ method: String, _ call: Message) -> LocalAnswer? {
    switch method {
    case "Cancel":
      questions.withdraw()
      return .now(Message(replyTo: call))
    case "Release":
      core.logger.debug("bluetoothd has released the pairing agent")
      questions.withdraw()
      registration = nil
      return .now(Message(replyTo: call))
    default:
      guard let (kind, path) = AgentQuestion.Kind.parse(method, call) else { return nil }
      return questions.ask(kind, about: path, call)
    }
  }

  // MARK: Answering

  /// Answers pairings that this manager does not begin, until the bus is lost or the task is cancelled.
  func answerPairings(
    using agent: some PairingAgent, isDefault: Bool, _ ready: () -> Void
  ) async throws(BLEError) {
    let operation = Operation(.answerPairings, timeout: nil)
    guard standing == nil else {
      throw operation.error(.busy, "this manager answers them already")
    }
    standing = Answerer(agent, for: nil, isDefault: isDefault)
    do throws(BLEError) {
      try await settle(operation)
      ready()
      try await waitForLossOfBus(operation)
    } catch {
      standing = nil
      await keep(within: AgentSession.timeToLeave).value
      throw error
    }
  }

  /// Waits until the bus is lost, and then throws `busUnavailable` or `cancelled`; bluetoothd may restart.
  private func waitForLossOfBus(
    _ operation: Operation
  ) async throws(BLEError) {
    let wait = Promise<BLEError>()
    let number = core.conditions.add(now: core.client.model, core.outage) { _, outage in
      // A closed manager has the outage `cancelled`.
      guard let outage, outage.code != .serviceUnavailable else { return false }
      wait.fulfil(outage.during(operation.action))
      return true
    }
    defer { if let number { core.conditions.remove(number) } }
    if let outage = try await wait.value(for: operation, on: core.loop) { throw outage }
  }

  // MARK: Requests that require pairing

  /// The time that the agent stays after a request, since others often follow.
  private static let watchTime = Duration.seconds(1)

  /// Makes BlueZ ask this manager whether to pair for a request, unless another program's agent is asked.
  ///
  /// Without an agent, BlueZ refuses by itself, and shows nothing. Ours refuses, too: see ``OpenRequests``.
  /// ``unwatch()`` must follow.
  func watch(_ operation: Operation) async {
    watchers += 1
    lastWatch = LoopClock.now
    if !isWatching {
      isWatching = true
      endWatch(at: lastWatch + AgentSession.watchTime)
    }
    guard wanted != registration else { return }
    do throws(BLEError) {
      try await settle(operation.within(AgentSession.watchTime))
    } catch {
      core.logger.debug("\(error)")
    }
  }

  func unwatch() {
    watchers -= 1
    lastWatch = LoopClock.now
  }

  private func endWatch(at instant: ContinuousClock.Instant) {
    _ = core.loop.schedule(at: instant) { [weak self] in
      guard let self else { return }
      let end = lastWatch + AgentSession.watchTime
      guard watchers == 0, end <= LoopClock.now else {
        return endWatch(at: max(end, LoopClock.now + AgentSession.watchTime))
      }
      isWatching = false
      keep()
    }
  }

  /// Records that a link to a device is being opened, which keeps the capability of the agent.
  func linkOpens(_ devicePath: String) {
    linkCapabilities[devicePath] = isSecond ? nil : registration?.capability
  }

  // MARK: Registering

  /// Registers the agent that is needed now, with its capability, or unregisters it.
  ///
  /// Requests the default role only if an answerer wants it, since that replaces the desktop's agent. (BlueZ
  /// makes the first agent the default by itself.)
  func settle(_ operation: Operation) async throws(BLEError) {
    try await registering.take(
      for: operation, on: core.loop, orFailWith: "BlueZ does not complete the previous call")
    defer { registering.release() }
    while wanted != registration {
      if registration != nil { await unregister() }
      if let wanted { try await register(wanted, operation) }
    }
  }

  /// Does the same in the background, even if the caller's task is cancelled.
  @discardableResult
  func keep(
    within limit: Duration = AgentSession.replyTime
  ) -> Task<Void, Never> {
    core.inBackground { _ = await self.hasSettled(within: limit) }
  }

  /// Registers the agent in the background after a restart of bluetoothd; retries each second while refused.
  func restore() {
    core.inBackground { [self] in
      await BlueZ.eachSecond(on: core.loop) {
        await hasSettled(within: AgentSession.replyTime) || core.outage != nil
      }
    }
  }

  private func hasSettled(within limit: Duration) async -> Bool {
    do throws(BLEError) {
      try await settle(Operation(.registerAgent, timeout: limit))
      return true
    } catch {
      core.logger.debug("\(error)")
      return false
    }
  }

  private func register(
    _ wanted: Registration, _ operation: Operation
  ) async throws(BLEError) {
    guard let owner = core.owner else {
      throw core.outage?.during(operation.action)
        ?? operation.error(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    }
    isSecond = core.client.model.adapters.values.contains { $0.isPairable == true }
    export(to: owner)
    do throws(BLEError) {
      let limited = operation.within(AgentSession.replyTime)
      try await call("RegisterAgent", capability: wanted.capability, limited)
      if wanted.isDefault { try await call("RequestDefaultAgent", limited) }
      // The end of this bluetoothd may have been read together with its answer.
      guard core.owner == owner else {
        throw operation.error(.serviceUnavailable, "the Bluetooth service ended")
      }
      registration = wanted
      try await waitForKernel(limited)
    } catch {
      // A call that timed out or was cancelled may have registered it all the same.
      registration = nil
      post("UnregisterAgent")
      withdrawObject()
      throw error
    }
  }

  /// Waits until the kernel knows the capability, which bluetoothd tells it after "pairable".
  private func waitForKernel(
    _ operation: Operation
  ) async throws(BLEError) {
    let _: Bool? = try await core.wait(for: operation.within(AgentSession.kernelTime)) { model in
      model.adapters.values.contains { $0.isPairable == false } ? nil : .success(true)
    }
  }

  /// Unregisters the agent; whatever BlueZ answers, it is gone.
  private func unregister() async {
    questions.withdraw()
    let mayRestore = registration?.isWatch == true
    registration = nil
    do throws(BLEError) {
      let operation = Operation(.unregisterAgent, timeout: AgentSession.timeToLeave)
      try await call("UnregisterAgent", operation)
    } catch {
      core.logger.debug("\(error)")
    }
    if mayRestore, wanted == nil { restoreCapability() }
    withdrawObject()
  }

  private func call(
    _ member: String, capability: PairingCapability? = nil, _ operation: Operation
  ) async throws(BLEError) {
    try await core.client.call(message(member, capability), for: operation)
  }

  private func post(
    _ member: String, capability: PairingCapability? = nil
  ) {
    core.connection.post(message(member, capability))
  }

  /// Gives the kernel the capability that it starts with: it keeps that of the last agent for links that other
  /// programs open, which BlueZ since 5.81 uses when they pair.
  private func restoreCapability() {
    guard !isSecond else { return }
    post("RegisterAgent", capability: .noInputNoOutput)
    post("UnregisterAgent")
  }

  private func message(_ member: String, _ capability: PairingCapability? = nil) -> Message {
    Message(call: member, of: BlueZ.agentManager, at: BlueZ.rootPath, to: BlueZ.service) {
      $0.objectPath(AgentSession.path)
      if let capability { $0.string(capability.rawValue) }
    }
  }

  private func export(to owner: String) {
    let received = core.loop.confined { [weak self] (method: String, call: Message) in
      self?.receive(method, call)
    }
    let agent = LocalObject(
      path: AgentSession.path, interface: BlueZ.agent, isSecret: true, perform: received)
    let objects = LocalObjects(root: AgentSession.root, for: owner, [agent])
    core.connection.assumeIsolated { $0.export(objects) }
  }

  private func withdrawObject() {
    core.connection.assumeIsolated { $0.withdraw(AgentSession.root) }
  }

  // MARK: The end

  /// Handles the end of bluetoothd, and with it that of the registration.
  func serviceLost() {
    questions.withdraw()
    registration = nil
    withdrawObject()
  }

  /// Does what ``postEnd()`` does, and closes the link of a pairing: the process is about to end.
  func abandonPairing() {
    // BlueZ 5.66 leaves the link open after a question was answered with Canceled.
    let link = pairing.flatMap { $0.opensLink ? $0.devicePath : nil }
    postEnd()
    if let link { core.connection.post(core.sessions.device(link).message("Disconnect")) }
    core.connection.assumeIsolated { $0.flush() }
  }

  /// Answers open questions and unregisters the agent without waiting: the program is ending.
  ///
  /// bluetoothd crashes if an agent leaves the bus with an open passkey question (seen with 5.66 and 5.87).
  func postEnd() {
    questions.withdraw()
    pairing?.task?.cancel()
    endPairing()
    standing = nil
    isWatching = false
    guard let registration else { return }
    self.registration = nil
    post("UnregisterAgent")
    if registration.isWatch { restoreCapability() }
  }
}
