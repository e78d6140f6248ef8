// SPDX-License-Identifier: MIT
package import AsyncIO
package import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// Programs that connect to a TCP port or a Unix socket: one at a time, or several that all get the same bytes.
///
/// Used only on the loop.
package final class ServerPort: SerialPort, @unchecked Sendable {
  /// How many bytes wait for each program, and from all of them.
  private static let limit = 32 << 10
  private static let mostShared = 16
  /// How long a program that sends nothing more may still get bytes: it may wait for an answer, or have gone.
  private static let answerTime = Duration.seconds(1)

  private final class Client {
    let stream: ByteStream
    let outgoing = ByteQueue(limit: ServerPort.limit)
    var tasks: [Task<Void, Never>] = []
    /// Whether it sends nothing more.
    var isSilent = false
    /// When it was last given bytes.
    var lastWrite = LoopClock.now
    init(_ stream: ByteStream) { self.stream = stream }
  }

  private let socket: ListeningSocket
  private let isShared: Bool
  private let loop: EventLoop
  private let report: @Sendable (String) -> Void
  private let incoming = ByteQueue(limit: ServerPort.limit)
  private var clients: [Client] = []
  private var waiters: [Promise<Void>] = []
  private var source: SourceID?

  /// Where programs find it.
  package var place: String { socket.place }

  /// Listens; call on the loop's thread.
  ///
  /// - Throws: ``CommandError`` if the address is taken, or is not one.
  package init(
    _ address: ServerAddress, isShared: Bool, on loop: EventLoop, report: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    socket = try ListeningSocket(address)
    (self.isShared, self.loop, self.report) = (isShared, loop, report)
    source = loop.watch(socket.descriptor, for: .readable) { [weak self] _ in self?.accept() }
  }

  package func read(_ most: Int) async -> [UInt8]? { await incoming.next(most) }

  /// Gives the bytes to every program, and waits for one if there is none.
  package func write(_ bytes: [UInt8]) async throws {
    while clients.isEmpty {
      if Task.isCancelled { throw ConsoleError.interrupted }
      let promise = Promise<Void>()
      waiters.append(promise)
      await promise.value(ifCancelled: ())
    }
    for client in clients {
      client.lastWrite = LoopClock.now
      if isShared {
        if !client.outgoing.offer(bytes) {
          leave(client, "a program does not read fast enough: disconnected")
        }
      } else if await client.outgoing.waitForRoom() {
        client.outgoing.add(bytes)
      }
    }
  }

  package func end() {
    if let source { loop.unwatch(source) }
    source = nil
    socket.remove()
    for client in clients { leave(client, nil) }
  }

  // MARK: Programs

  private func accept() {
    while let descriptor = socket.accept() {
      if !isShared { for client in clients where client.isSilent { leave(client, nil) } }
      guard clients.count < (isShared ? ServerPort.mostShared : 1) else {
        report(
          "a program was refused: \(isShared ? "there are \(clients.count) already" : "another one is connected")"
        )
        continue
      }
      let client = Client(ByteStream(adopting: descriptor, on: loop))
      clients.append(client)
      nonisolated(unsafe) let joined = client  // of the loop, as its tasks
      client.tasks = [
        Task(executorPreference: loop) { @Sendable in await self.read(from: joined) },
        Task(executorPreference: loop) { @Sendable in await self.write(to: joined) },
      ]
      for waiter in waiters { waiter.fulfil(()) }
      waiters = []
    }
  }

  private func read(from client: Client) async {
    while await incoming.waitForRoom(), let bytes = await client.stream.read(incoming.room) {
      incoming.add(bytes)
    }
    (client.isSilent, client.lastWrite) = (true, LoopClock.now)
    let answerTime = ServerPort.answerTime
    while case let idle = LoopClock.now - client.lastWrite, idle < answerTime {
      do { try await loop.sleep(for: answerTime - idle) } catch { return }
    }
    leave(client, nil)
  }

  private func write(to client: Client) async {
    while await client.outgoing.waitForBytes(), let bytes = client.outgoing.bytes(16 << 10) {
      do throws(ConsoleError) { try await client.stream.write(bytes) } catch { break }
      client.outgoing.remove(bytes.count)
    }
    leave(client, nil)
  }

  private func leave(_ client: Client, _ reason: String?) {
    guard let index = clients.firstIndex(where: { $0 === client }) else { return }
    clients.remove(at: index)
    for task in client.tasks { task.cancel() }
    client.outgoing.end()
    if let reason { report(reason) }
    if client.outgoing.count > 0 { report("a program left before it read \(client.outgoing.count.bytes)") }
  }
}
