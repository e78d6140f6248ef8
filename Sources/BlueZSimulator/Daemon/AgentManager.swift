// SPDX-License-Identifier: MIT
internal import DBus

/// The pairing agents of clients (`AgentManager1`).
final class AgentManager: ExportedInterface {
  private static let capabilities = [
    "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
  ]

  let description = InterfaceDescription(
    name: BlueZName.agentManager,
    methods: [
      .init("RegisterAgent", ["agent:o", "capability:s"]), .init("UnregisterAgent", ["agent:o"]),
      .init("RequestDefaultAgent", ["agent:o"]),
    ])

  /// Called when the first agent is registered or the last one unregistered.
  var onChange: (_ hasAgent: Bool) -> Void = { _ in }
  /// The path of each client's agent.
  private var agents: [String: String] = [:]
  /// The clients that requested to be the default agent, the latest first.
  private var defaults: [String] = []

  /// The agent for pairing that no client has requested.
  var defaultAgent: (client: String, path: String)? {
    defaults.first.flatMap { client in agents[client].map { (client, $0) } }
  }

  /// The agent for a client's request: its own, or else the default agent.
  func agent(for client: String) -> (client: String, path: String)? {
    agents[client].map { (client, $0) } ?? defaultAgent
  }

  func perform(_ method: String, _ call: MethodCall) {
    let path = call.argument(0)?.text ?? ""
    switch method {
    case "RegisterAgent":
      guard agents[call.sender] == nil else { return call.fail(.alreadyExists) }
      guard let capability = call.argument(1)?.text, AgentManager.capabilities.contains(capability) else {
        return call.fail(.invalidArguments)
      }
      agents[call.sender] = path
      call.reply()
      if agents.count == 1 { onChange(true) }
    case "UnregisterAgent":
      guard agents[call.sender] == path else { return call.fail(.doesNotExist) }
      call.reply()
      clientLeft(call.sender)
    default:
      guard agents[call.sender] == path else { return call.fail(.doesNotExist) }
      defaults.removeAll { $0 == call.sender }
      defaults.insert(call.sender, at: 0)
      call.reply()
    }
  }

  func clientLeft(_ name: String) {
    defaults.removeAll { $0 == name }
    guard agents.removeValue(forKey: name) != nil else { return }
    if agents.isEmpty { onChange(false) }
  }
}
