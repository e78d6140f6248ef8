// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A pairing agent on a connection of its own: notes what BlueZ asks, and answers as it is made to.
package final class BusAgent: Sendable {
  /// The answer to a question.
  package enum Answer: Sendable {
    case agree, refuse
    case passkey(UInt32)
    /// None.
    case silence
  }

  /// A call of BlueZ.
  package struct Call: Sendable, Hashable {
    package let member: String
    /// The device, if the call is about one.
    package let device: String?
    /// The passkey or the number to compare, if the call has one.
    package let number: UInt32?
    package let wantsReply: Bool
  }

  package static let path = "/test/agent"
  package let client: BusClient
  private let seen = Lock<[Call]>([])

  package var calls: [Call] { seen.withLock { $0 } }

  private init(_ client: BusClient) { self.client = client }

  /// Connects and registers an agent.
  ///
  /// - Parameters:
  ///   - address: the bus.
  ///   - capability: its capability, as BlueZ spells it.
  ///   - answer: answers a question; runs on the loop.
  /// - Returns: the agent.
  /// - Throws: the error of the bus or of RegisterAgent.
  package static func register(
    on address: String, _ capability: String,
    answer: @escaping @Sendable (Call) -> Answer = { _ in .agree }
  ) async throws -> BusAgent {
    let client = try await BusClient.connect(to: address)
    let agent = BusAgent(client)
    let connection = client.connection
    await connection.handleCalls { [weak agent, weak connection] message in
      guard let agent, let connection, message.interface == "org.bluez.Agent1" else { return false }
      let reply = agent.take(message, answer)
      if let reply { connection.assumeIsolated { _ = try? $0.send(reply) } }
      return true
    }
    try await client.call("RegisterAgent", of: "org.bluez.AgentManager1", at: "/org/bluez") {
      $0.objectPath(path)
      $0.string(capability)
    }
    return agent
  }

  /// Notes a call, also in the client's log, and returns the reply.
  private func take(_ message: Message, _ answer: (Call) -> Answer) -> Message? {
    let arguments = message.values
    var number: UInt32?
    if arguments.count > 1, case .uint32(let value) = arguments[1] { number = value }
    let call = Call(
      member: message.member ?? "", device: arguments.first?.text, number: number,
      wantsReply: message.wantsReply)
    seen.withLock { $0.append(call) }
    let reply: Message? =
      switch answer(call) {
      case .agree: Message(replyTo: message)
      case .refuse: Message(errorTo: message, name: "org.bluez.Error.Rejected", text: "No")
      case .passkey(let passkey): Message(replyTo: message) { $0.uint32(passkey) }
      case .silence: nil
      }
    client.log.append(.reply(call.member))
    return message.wantsReply ? reply : nil
  }

  /// Waits until BlueZ has called a method.
  package func called(_ member: String) async -> Call? {
    guard await client.log.first(replying: member) != nil else { return nil }
    return calls.last { $0.member == member }
  }

  /// Makes it the default agent.
  package func becomeDefault() async throws {
    try await client.call("RequestDefaultAgent", of: "org.bluez.AgentManager1", at: "/org/bluez") {
      $0.objectPath(BusAgent.path)
    }
  }

  package func unregister() async throws {
    try await client.call("UnregisterAgent", of: "org.bluez.AgentManager1", at: "/org/bluez") {
      $0.objectPath(BusAgent.path)
    }
  }
}
