// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Takes commands for a running simulator, a JSON object a line, and answers each with a line.
///
/// It lives on the loop of the simulation: no thread waits for input.
package actor ControlServer {
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.simulation.actorExecutor
  }

  private let simulator: Simulator
  private var socket: ControlSocket?
  private var source: SourceID?
  private var conversations: [ControlConversation] = []

  private init(_ simulator: Simulator) { self.simulator = simulator }

  /// Listens on a Unix stream socket, which only our user may use, until ``stop()``.
  ///
  /// - Parameters:
  ///   - path: where to make the socket; nothing may be there.
  ///   - simulator: whom the commands are for.
  /// - Returns: what listens.
  /// - Throws: ``ControlSocketError`` when the socket cannot be made.
  package static func listen(
    at path: String, for simulator: Simulator
  ) async throws(ControlSocketError) -> ControlServer {
    let server = ControlServer(simulator)
    try await server.listen(at: path)
    return server
  }

  /// Reads commands from a descriptor and writes the answers to another.
  ///
  /// - Parameters:
  ///   - input: what to read from; it stays the caller's.
  ///   - output: what to write to; it stays the caller's.
  ///   - simulator: whom the commands are for.
  ///   - onEnd: called on the simulation's thread when the input has ended and all is answered.
  /// - Returns: what reads.
  package static func read(
    from input: Int32, answeringTo output: Int32, for simulator: Simulator,
    onEnd: @escaping @Sendable () -> Void
  ) async -> ControlServer {
    let server = ControlServer(simulator)
    await server.converse(input: input, output: output, onEnd: onEnd)
    return server
  }

  /// Ends all conversations and removes the socket.
  package func stop() {
    if let source { EventLoop.simulation.unwatch(source) }
    source = nil
    socket?.remove()
    socket = nil
    for conversation in conversations { conversation.close() }
    conversations = []
  }

  private func listen(at path: String) throws(ControlSocketError) {
    let socket = try ControlSocket(path)
    source = EventLoop.simulation.watch(socket.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.accept() }
    }
    self.socket = consume socket
  }

  private func accept() {
    while let descriptor = socket?.accept() {
      converse(input: descriptor, output: descriptor) { close(descriptor) }
    }
  }

  private func converse(input: Int32, output: Int32, onEnd: @escaping @Sendable () -> Void) {
    let conversation = ControlConversation(input: input, output: output, loop: .simulation)
    conversation.onLine = { [weak self, weak conversation] line in
      guard let self, let conversation else { return }
      nonisolated(unsafe) let waiting = conversation  // of the loop, as this actor
      Task { await self.answer(line, of: waiting) }
    }
    conversation.onEnd = { [weak self, weak conversation] in
      nonisolated(unsafe) let ended = conversation
      self?.assumeIsolated { server in server.conversations.removeAll { $0 === ended } }
      onEnd()
    }
    conversations.append(conversation)
    conversation.start()
  }

  private func answer(_ line: [UInt8], of conversation: ControlConversation) async {
    conversation.answer(await answer(line))
  }

  /// Does what a line says.
  private func answer(_ line: [UInt8]) async -> [UInt8] {
    do throws(ControlError) {
      switch try ControlRequest.read(line) {
      case .command(let command):
        try await simulator.perform(command)
        return ControlAnswer.done
      case .state: return ControlAnswer.state(await simulator.state)
      }
    } catch {
      return ControlAnswer.failure(error)
    }
  }
}
