// SPDX-License-Identifier: MIT
internal import DBus

/// The pairing agents of clients (`AgentManager1`).
final class AgentManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.agentManager,
    methods: [
      .init("RegisterAgent", ["agent:o", "capability:s"]), .init("UnregisterAgent", ["agent:o"]),
      .init("RequestDefaultAgent", ["agent:o"]),
    ])

  /// Called when the first agent is registered or the last one unregistered.
  var onChange: (_ hasAgent: Bool) -> Void = { _ in }
  /// The agent of each client, by precedence: the first is the default agent.
  private(set) var agents: [Agent] = []

  /// The agent for pairing that no client has requested.
  var defaultAgent: Agent? { agents.first }

  /// The agent for a client's request: its own, or else the default agent.
  func agent(for client: String) -> Agent? { own(client) ?? defaultAgent }

  private func own(_ client: String) -> Agent? { agents.first { $0.client == client } }

  func perform(_ method: String, _ call: MethodCall) {
    let path = call.argument(0)?.text ?? ""
    let own = own(call.sender)
    switch method {
    case "RegisterAgent":
      guard own == nil else { return call.fail(.alreadyExists) }
      guard let capability = call.argument(1)?.text.flatMap({ IOCapability(agent: $0) }) else {
        return call.fail(.invalidArguments)
      }
      agents.append(Agent(client: call.sender, path: path, capability: capability))
      call.reply()
      if agents.count == 1 { onChange(true) }
    case "UnregisterAgent":
      guard let own, own.path == path else { return call.fail(.doesNotExist) }
      call.reply()
      remove(own)
    default:
      guard let own, own.path == path else { return call.fail(.doesNotExist) }
      agents.removeAll { $0 === own }
      agents.insert(own, at: 0)
      call.reply()
    }
  }

  /// Removes an agent; its question stays open.
  private func remove(_ agent: Agent) {
    agents.removeAll { $0 === agent }
    if agents.isEmpty { onChange(false) }
  }

  /// Removes the agent of a client that has left the bus.
  ///
  /// - Returns: whether bluetoothd would crash.
  func clientLeft(_ name: String) -> Bool {
    guard let agent = own(name) else { return false }
    let isFatal = agent.clientLeft()
    remove(agent)
    return isFatal
  }
}
