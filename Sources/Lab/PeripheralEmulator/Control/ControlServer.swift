// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEWorld
internal import Glibc

/// Accepts commands for a running simulator, one JSON object per line, and answers each with a line.
///
/// It runs on the loop of the simulation: no thread blocks on input.
package actor ControlServer {
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.simulation.actorExecutor
  }

  private let target: any ControlTarget
  private var socket: UnixListener?
  private var source: SourceID?
  /// The open connections, by the number that their handlers know them by.
  private var connections: [Int: ControlConnection] = [:]
  private var lastNumber = 0

  private init(_ target: any ControlTarget) { self.target = target }

  /// Listens until ``stop()`` on a new Unix stream socket, which only our user can access.
  package static func listen(
    at path: String, for target: any ControlTarget
  ) async throws(ControlSocketError) -> ControlServer {
    let server = ControlServer(target)
    try await server.listen(at: path)
    return server
  }

  /// Reads commands from a descriptor and answers on another, both owned by the caller.
  ///
  /// Calls `onEnd` on the simulation's thread once the input has ended and everything is answered.
  package static func read(
    from input: Int32, answeringTo output: Int32, for target: any ControlTarget,
    onEnd: @escaping @Sendable () -> Void
  ) async -> ControlServer {
    let server = ControlServer(target)
    await server.open(input: input, output: output, onEnd: onEnd)
    return server
  }

  package func stop() {
    if let source { EventLoop.simulation.unwatch(source) }
    source = nil
    socket?.remove()
    socket = nil
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  private func listen(at path: String) throws(ControlSocketError) {
    let socket: UnixListener
    do throws(SocketError) { socket = try UnixListener(path) } catch { throw ControlSocketError(error) }
    source = EventLoop.simulation.watch(socket.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.accept() }
    }
    self.socket = consume socket
  }

  private func accept() {
    while let descriptor = socket?.accept()?.release() {
      open(input: descriptor, output: descriptor) { close(descriptor) }
    }
  }

  private func open(input: Int32, output: Int32, onEnd: @escaping @Sendable () -> Void) {
    let connection = ControlConnection(input: input, output: output, loop: .simulation)
    lastNumber += 1
    let number = lastNumber
    connection.onLine = { [weak self] line in self?.assumeIsolated { $0.take(line, from: number) } }
    connection.onEnd = { [weak self] in
      self?.assumeIsolated { $0.connections[number] = nil }
      onEnd()
    }
    connections[number] = connection
    connection.start()
  }

  private func take(_ line: [UInt8], from number: Int) {
    Task {
      let bytes = await answer(line)
      connections[number]?.answer(bytes)
    }
  }

  private func answer(_ line: [UInt8]) async -> [UInt8] {
    do throws(ControlError) {
      switch try ControlRequest.read(line) {
      case .command(let command):
        try await target.perform(command)
        return ControlAnswer.done
      case .state: return ControlAnswer.state(await target.state)
      }
    } catch {
      return ControlAnswer.failure(error)
    }
  }
}

/// The target of a control channel.
package protocol ControlTarget: Sendable {
  /// Executes a command, unless that is impossible at present; its effects may continue after the return.
  func perform(_ command: ControlCommand) async throws(ControlError)
  var state: WorldState { get async }
}

/// An error that prevents the creation of the control socket.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ error: SocketError) { description = error.description }
}
