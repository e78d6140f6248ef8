// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus

/// A client's pairing agent.
final class Agent {
  let client: String
  let path: String
  let capability: IOCapability
  fileprivate(set) var question: Question?

  final class Question {
    fileprivate let isVital: Bool
    fileprivate var answer: ((Answer) -> Void)?

    fileprivate init(isVital: Bool, _ answer: @escaping (Answer) -> Void) {
      self.isVital = isVital
      self.answer = answer
    }

    fileprivate func end(_ answer: Answer) {
      let waiting = self.answer
      self.answer = nil
      waiting?(answer)
    }
  }

  enum Answer {
    case refused
    case accepted
    case passkey(UInt32)
  }

  init(client: String, path: String, capability: IOCapability) {
    self.client = client
    self.path = path
    self.capability = capability
  }

  private func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: BlueZName.agent, at: path, to: client, body)
  }

  private func send(
    _ member: String, by tree: ObjectTree, _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    let message = message(member, body)
    message.expectNoReply()
    tree.send(message)
  }

  /// Asks a question and calls `answer` once, unless it is withdrawn; refuses a second open question.
  ///
  /// `isVital` tells whether bluetoothd crashes when the client leaves before it has answered.
  func ask(
    _ member: String, about device: String, _ number: UInt32?, isVital: Bool, in daemon: DaemonContext,
    then answer: @escaping (Answer) -> Void
  ) {
    guard self.question == nil else { return answer(.refused) }
    let question = Question(isVital: isVital, answer)
    self.question = question
    let message = message(member) {
      $0.objectPath(device)
      if let number { $0.uint32(number) }
    }
    daemon.call(message, timeout: .seconds(60)) { [weak self] reply in
      if let self, self.question === question { self.question = nil }
      guard let reply else { return question.end(.refused) }
      guard member == "RequestPasskey" else { return question.end(.accepted) }
      guard case .uint32(let passkey) = reply.values.first, passkey <= 999_999 else {
        return question.end(.refused)
      }
      question.end(.passkey(passkey))
    }
  }

  /// Shows a passkey, which the agent need not answer.
  func display(_ passkey: UInt32, of device: String, in daemon: DaemonContext) {
    send("DisplayPasskey", by: daemon.tree) {
      $0.objectPath(device)
      $0.uint32(passkey)
      $0.uint16(0)
    }
  }

  /// Withdraws the open question; a late answer is ignored.
  func withdraw(_ tree: ObjectTree) {
    guard question != nil else { return }
    question?.answer = nil
    question = nil
    send("Cancel", by: tree)
  }

  func release(_ tree: ObjectTree) { send("Release", by: tree) }

  /// Handles the departure of the client, and returns whether bluetoothd would crash.
  func clientLeft() -> Bool {
    guard let question else { return false }
    self.question = nil
    guard !question.isVital else { return true }
    question.end(.refused)
    return false
  }
}

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
  /// By precedence: the first is the default agent.
  private(set) var agents: [Agent] = []

  /// The agent for pairings that no client has requested.
  var defaultAgent: Agent? { agents.first }

  /// Returns the agent for a client's request: its own, or else the default agent.
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

  /// Removes an agent, but leaves its question open.
  private func remove(_ agent: Agent) {
    agents.removeAll { $0 === agent }
    if agents.isEmpty { onChange(false) }
  }

  /// Removes the agent of a client that has left the bus, and returns whether bluetoothd would crash.
  func clientLeft(_ name: String) -> Bool {
    guard let agent = own(name) else { return false }
    let isFatal = agent.clientLeft()
    remove(agent)
    return isFatal
  }
}
