// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension AgentSession {
  /// How long BlueZ may take to register or unregister an agent, which it does at once.
  private static let replyTime = Duration.seconds(5)

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
      try await settle(Operation("register a pairing agent", timeout: AgentSession.replyTime), in: central)
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
      throw central.outage?.during(operation.name)
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
    withdrawQuestions(in: central)
    registration = nil
    do throws(BLEError) {
      let operation = Operation("unregister the pairing agent", timeout: AgentSession.replyTime)
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
    withdrawQuestions(in: central)
    registration = nil
    withdrawObject(in: central)
  }

  /// Answers what is open, and gives the agent back, without waiting: the program ends.
  ///
  /// A question for a passkey that is open when its agent leaves the bus ends bluetoothd (seen with 5.66 and 5.87).
  func postEnd(in central: isolated CentralManager) {
    withdrawQuestions(in: central)
    pairing?.task?.cancel()
    endPairing()
    endStanding()
    guard registration != nil else { return }
    registration = nil
    post("UnregisterAgent", in: central)
  }
}
