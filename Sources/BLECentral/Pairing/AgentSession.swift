// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// The one agent that the manager registers with bluetoothd, and the people behind it.
///
/// Confined to the manager, which passes itself to what calls BlueZ.
final class AgentSession {
  /// Who answers questions, about one device or about all.
  final class Answerer {
    /// Why a pairing has failed on our side.
    enum Failure {
      case rejected
      case unanswered
      case cancelled
    }

    let agent: any PairingAgent
    /// The device that it pairs with; nil answers for every device.
    let devicePath: String?
    /// Whether it also wants the questions of pairings that no program began.
    let isDefault: Bool
    /// The last question that showed how the devices pair.
    var method: PairingMethod?
    var failure: Failure?
    /// Whether a question was refused or withdrawn, which ends the pairing.
    var isRefused = false
    /// The work of the pairing.
    var task: Task<Result<PairingOutcome, BLEError>, Never>?
    /// Whether the link is opened for it, and has to be closed if it fails.
    var opensLink = false
    /// Whether BlueZ has been asked to pair, and has not answered.
    var isAsked = false

    init(_ agent: any PairingAgent, for devicePath: String?, isDefault: Bool = false) {
      self.agent = agent
      self.devicePath = devicePath
      self.isDefault = isDefault
    }
  }

  /// What bluetoothd knows of our agent.
  struct Registration: Equatable {
    let capability: PairingCapability
    let isDefault: Bool
  }

  /// How long BlueZ may take to register or unregister an agent, which it does at once.
  private static let replyTime = Duration.seconds(5)
  static let path = "/blectl/pairing/agent"
  static let root = "/blectl/pairing"

  /// The pairing under way: one at a time, since an agent gets one question at a time.
  private(set) var pairing: Answerer?
  /// Who answers whatever comes.
  private(set) var standing: Answerer?
  /// The turns of pairings.
  let pairings = AsyncMutex()
  /// The turns of calls that register and unregister.
  let registering = AsyncMutex()
  var registration: Registration?
  let questions = PairingQuestions()

  /// The registration that is needed now; nil for none.
  var wanted: Registration? {
    guard let answerer = pairing ?? standing else { return nil }
    return Registration(capability: answerer.agent.capability, isDefault: standing?.isDefault ?? false)
  }

  func begin(pairing answerer: Answerer) { pairing = answerer }

  func endPairing() { pairing = nil }

  /// BlueZ has answered the call to pair with a device.
  func answered(_ devicePath: String) { if pairing?.devicePath == devicePath { pairing?.isAsked = false } }

  /// Cancels the pairing of this manager with a device, and waits for its end.
  func cancelPairing(with devicePath: String, _ operation: Operation) async throws(BLEError) {
    guard let pairing, pairing.devicePath == devicePath, let task = pairing.task else {
      throw operation.error(.notFound, "this program is not pairing with the device")
    }
    pairing.failure = .cancelled
    task.cancel()
    _ = await task.value
  }

  /// Who answers a question about a device; nil refuses it.
  func answerer(for devicePath: String) -> Answerer? {
    pairing.flatMap { $0.devicePath == devicePath ? $0 : nil } ?? standing
  }

  /// A call of bluetoothd to our agent.
  func receive(_ method: String, _ call: Message, in central: isolated CentralManager) -> LocalAnswer? {
    switch method {
    case "Cancel":
      questions.withdraw(in: central)
      return .now(Message(replyTo: call))
    case "Release":
      central.logger.debug("bluetoothd has released the pairing agent")
      questions.withdraw(in: central)
      registration = nil
      return .now(Message(replyTo: call))
    default:
      guard let (kind, path) = AgentQuestion.Kind.parse(method, call) else { return nil }
      return questions.ask(kind, about: path, call, in: central)
    }
  }

  // MARK: Answering

  /// Answers the questions of pairings that this manager does not begin, until the bus is lost or the task is cancelled.
  func answerPairings(
    using agent: some PairingAgent, isDefault: Bool, _ ready: () -> Void, in central: isolated CentralManager
  ) async throws(BLEError) {
    let operation = Operation(.answerPairings, timeout: nil)
    guard standing == nil else {
      throw operation.error(.busy, "this manager answers them already")
    }
    standing = Answerer(agent, for: nil, isDefault: isDefault)
    do throws(BLEError) {
      try await settle(operation, in: central)
      ready()
      try await waitForLossOfBus(operation, in: central)
    } catch {
      standing = nil
      await keep(in: central).value
      throw error
    }
  }

  /// Waits until the bus is lost; bluetoothd may come and go.
  ///
  /// - Throws: ``BLEError`` with code `busUnavailable` or `cancelled`, always.
  private func waitForLossOfBus(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let wait = Wait<BLEError>()
    let number = central.conditions.add(now: central.model, central.outage) { _, outage in
      // A manager that is closed has the outage `cancelled`.
      guard let outage, outage.code != .serviceUnavailable else { return false }
      wait.fulfil(outage.during(operation.action))
      return true
    }
    defer { if let number { central.conditions.remove(number) } }
    if let outage = try await wait.value(for: operation, on: central.loop) { throw outage }
  }

  // MARK: Registering

  /// Registers the agent that is needed now, with its capability, or unregisters it.
  ///
  /// The default agent is asked for only where somebody wants it: it takes the place of the desktop's. (BlueZ makes the
  /// first agent the default by itself.)
  func settle(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    try await registering.take(
      for: operation, on: central.loop, orFailWith: "BlueZ does not finish what was asked before")
    defer { registering.release() }
    while wanted != registration {
      if registration != nil { await unregister(in: central) }
      if let wanted { try await register(wanted, operation, in: central) }
    }
  }

  /// Does the same in the background, also when the caller's task is cancelled.
  @discardableResult
  func keep(in central: isolated CentralManager) -> Task<Void, Never> {
    central.inBackground { central in _ = await central.agent.hasSettled(in: central) }
  }

  /// Registers the agent with a bluetoothd that has come back, in the background; asks again each second while it refuses.
  func restore(in central: isolated CentralManager) {
    central.inBackground { central in
      await BlueZ.eachSecond(on: central.loop) {
        await central.agent.hasSettled(in: central) || central.outage != nil
      }
    }
  }

  private func hasSettled(in central: isolated CentralManager) async -> Bool {
    do throws(BLEError) {
      try await settle(Operation(.registerAgent, timeout: AgentSession.replyTime), in: central)
      return true
    } catch {
      central.logger.debug("\(error)")
      return false
    }
  }

  private func register(
    _ wanted: Registration, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    guard let owner = central.owner else {
      throw central.outage?.during(operation.action)
        ?? operation.error(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    }
    export(to: owner, in: central)
    do throws(BLEError) {
      let limited = operation.within(AgentSession.replyTime)
      try await call("RegisterAgent", capability: wanted.capability, limited, in: central)
      if wanted.isDefault { try await call("RequestDefaultAgent", limited, in: central) }
      registration = wanted
    } catch {
      // A call that timed out, or was cancelled, may have registered it all the same.
      post("UnregisterAgent", in: central)
      withdrawObject(in: central)
      throw error
    }
  }

  /// Takes the agent back; whatever BlueZ answers, it is gone.
  private func unregister(in central: isolated CentralManager) async {
    questions.withdraw(in: central)
    registration = nil
    do throws(BLEError) {
      let operation = Operation(.unregisterAgent, timeout: AgentSession.replyTime)
      try await call("UnregisterAgent", operation, in: central)
    } catch {
      central.logger.debug("\(error)")
    }
    withdrawObject(in: central)
  }

  private func call(
    _ member: String, capability: PairingCapability? = nil, _ operation: Operation,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    try await central.call(message(member, capability), for: operation)
  }

  private func post(_ member: String, in central: isolated CentralManager) {
    central.connection.post(message(member))
  }

  private func message(_ member: String, _ capability: PairingCapability? = nil) -> Message {
    Message(call: member, of: BlueZ.agentManager, at: BlueZ.rootPath, to: BlueZ.service) {
      $0.objectPath(AgentSession.path)
      if let capability { $0.string(capability.rawValue) }
    }
  }

  private func export(to owner: String, in central: isolated CentralManager) {
    let agent = LocalObject(path: AgentSession.path, interface: BlueZ.agent, isSecret: true) {
      [weak central] method, call in
      central?.assumeIsolated { $0.agent.receive(method, call, in: $0) }
    }
    let objects = LocalObjects(root: AgentSession.root, for: owner, [agent])
    central.connection.assumeIsolated { $0.export(objects) }
  }

  private func withdrawObject(in central: isolated CentralManager) {
    central.connection.assumeIsolated { $0.withdraw(AgentSession.root) }
  }

  // MARK: The end

  /// bluetoothd has ended, and with it the registration.
  func serviceLost(in central: isolated CentralManager) {
    questions.withdraw(in: central)
    registration = nil
    withdrawObject(in: central)
  }

  /// Ends everything as ``postEnd(in:)`` does, and closes the link that a pairing has opened: the process ends at once.
  func abandonPairing(in central: isolated CentralManager) {
    // BlueZ 5.66 leaves a link open on which a question was answered with Canceled.
    let link = pairing.flatMap { $0.opensLink ? $0.devicePath : nil }
    postEnd(in: central)
    if let link { central.connection.post(central.sessions.device(link).message("Disconnect")) }
    central.connection.assumeIsolated { $0.flush() }
  }

  /// Answers what is open, and gives the agent back, without waiting: the program ends.
  ///
  /// A question for a passkey that is open when its agent leaves the bus ends bluetoothd (seen with 5.66 and 5.87).
  func postEnd(in central: isolated CentralManager) {
    questions.withdraw(in: central)
    pairing?.task?.cancel()
    endPairing()
    standing = nil
    guard registration != nil else { return }
    registration = nil
    post("UnregisterAgent", in: central)
  }
}
