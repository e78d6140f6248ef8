// SPDX-License-Identifier: MIT
package import AsyncIO
package import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// Programs that connect to a TCP port or a Unix socket: one at a time, or several that all get the same bytes.
///
/// Used only on the loop.
package final class ServerPort: SerialPort {
  /// The maximum number of bytes that wait for a program, and from all of them.
  private static let limit = 32 << 10
  /// The number of bytes that are written at once.
  ///
  /// The kernel does not report how much of a piece the program at a Unix socket has read.
  private static let (part, unixPart) = (16 << 10, 256)
  private static let mostShared = 16
  /// The time for which a program that sends nothing more may still get bytes: it may wait for an answer, or
  /// have gone.
  private static let answerTime = Duration.seconds(1)
  /// The interval at which such a program is checked.
  private static let restTime = Duration.milliseconds(20)

  private final class Client {
    let stream: ByteStream
    /// The bytes for the program: its own if the port is shared, else those of the port.
    let outgoing: ByteQueue
    /// Reads what it sends; this goes on when it has left.
    var input: Task<Void, Never>?
    var tasks: [Task<Void, Never>] = []
    /// The time of the last write to the program.
    var lastWrite = LoopClock.now
    /// The last bytes that it was given, as many as the other kernel has not confirmed.
    var unconfirmed: ArraySlice<UInt8> = []
    /// The number of bytes that were given to the program, or wait for it, since it closed its end.
    var late = 0

    init(_ stream: ByteStream, _ outgoing: ByteQueue) { (self.stream, self.outgoing) = (stream, outgoing) }
  }

  private final class State {
    let socket: ListeningSocket
    var clients: [Client] = []
    /// Reads what the last program sends, to its end.
    var lastInput: Task<Void, Never>?
    var waiters: [Promise<Void>] = []
    var source: SourceID?

    init(_ socket: ListeningSocket) { self.socket = socket }
  }

  private let isTCP: Bool
  private let isShared: Bool
  private let loop: EventLoop
  private let report: @Sendable (String) -> Void
  private let incoming = ByteQueue(limit: ServerPort.limit)
  /// The bytes for the only program of a port that is not shared, or for the next one.
  private let outgoing = ByteQueue(limit: ServerPort.limit)
  private let sharedLimit: Int
  private let confined: Confined<State>
  private var state: State { confined.value }
  private var clients: [Client] { state.clients }

  /// The address at which programs find the port.
  package let place: String

  /// Listens; call on the loop's thread.
  ///
  /// `isShared` accepts several programs, of which each may leave `limit` bytes unread; `report` gets the messages about
  /// programs.
  ///
  /// - Throws: ``CommandError`` if the address is taken, or is not one.
  package init(
    _ address: ServerAddress, isShared: Bool, limit: Int, on loop: EventLoop,
    report: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    let socket = try ListeningSocket(address)
    place = socket.place
    isTCP = if case .tcp = address { true } else { false }
    // All that has waited for the first program fits into its queue, with what comes while it begins to read.
    sharedLimit = limit + ServerPort.limit
    (self.isShared, self.loop, self.report) = (isShared, loop, report)
    confined = loop.confine(State(socket))
    state.source = loop.watch(socket.descriptor, for: .readable) { [weak self] _ in self?.accept() }
  }

  package var endTime: Duration? { clients.isEmpty ? .zero : .seconds(2) }

  package var unreadCount: Int {
    isShared ? clients.map(\.outgoing.count).max() ?? 0 : outgoing.count
  }

  package var heldCount: Int { clients.map(\.stream.heldCount).reduce(0, +) }

  package var unsentCount: Int { incoming.count }

  package func read(_ most: Int) async -> [UInt8]? { await incoming.next(most) }

  /// Gives the bytes to every program, and waits for one if there is none.
  package func write(_ bytes: ArraySlice<UInt8>) async throws -> Int {
    while clients.isEmpty {
      if Task.isCancelled { throw ConsoleError.interrupted }
      let promise = Promise<Void>()
      state.waiters.append(promise)
      await promise.value(ifCancelled: ())
    }
    if isShared {
      for client in clients {
        if client.stream.isInputEnded { client.late += bytes.count }
        guard !client.outgoing.offer(Array(bytes)) else { continue }
        disconnect(client, "a program does not read fast enough: disconnected")
      }
    } else {
      guard await outgoing.waitForRoom() else { throw ConsoleError.interrupted }
      outgoing.add(Array(bytes))
    }
    return bytes.count
  }

  package func end() {
    if let source = state.source { loop.unwatch(source) }
    state.source = nil
    state.socket.remove()
    for client in clients { disconnect(client, nil) }
    state.lastInput?.cancel()
  }

  // MARK: Programs

  private func accept() {
    while let descriptor = state.socket.accept() {
      // What the kernel has for a program that leaves is lost.
      var size = Int32(ServerPort.limit)
      setsockopt(descriptor.raw, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      // The end of a former program may not have been read yet.
      for client in clients where hasGone(client) ?? !hasReadLately(client) { leave(client) }
      guard clients.count < (isShared ? ServerPort.mostShared : 1) else {
        report(
          "a program was refused: \(isShared ? "there are \(clients.count) already" : "another one is connected")"
        )
        continue
      }
      join(
        Client(
          ByteStream(adopting: descriptor, on: loop), isShared ? ByteQueue(limit: sharedLimit) : outgoing))
    }
  }

  private func join(_ client: Client) {
    state.clients.append(client)
    let former = isShared ? nil : state.lastInput
    let input = loop.spawn { [self] in
      // What the former program has sent comes first.
      await former?.value
      await read(from: client)
    }
    client.input = input
    if !isShared { state.lastInput = input }
    client.tasks = [
      loop.spawn { [self] in
        await input.value
        await letFinish(client)
      },
      loop.spawn { [self] in await write(to: client) },
    ]
    for waiter in state.waiters { waiter.fulfil(()) }
    state.waiters = []
  }

  /// Reads what a program sends, to its end.
  private func read(from client: Client) async {
    while await incoming.waitForRoom(), let bytes = await client.stream.read(incoming.room) {
      incoming.add(bytes)
    }
  }

  /// Gives answers to a program that sends nothing more, until none has come for some time, or it has gone.
  private func letFinish(_ client: Client) async {
    client.lastWrite = LoopClock.now
    while hasGone(client) != true, LoopClock.now - client.lastWrite < ServerPort.answerTime {
      do { try await loop.sleep(for: ServerPort.restTime) } catch { return }
    }
    if !Task.isCancelled { leave(client) }
  }

  /// Returns whether a program has closed its end in both directions; nil if that is unknown.
  ///
  /// A TCP connection does not tell that from one that only sends nothing more; this machine knows its own programs.
  private func hasGone(_ client: Client) -> Bool? {
    if client.stream.isHungUp { return true }
    guard isTCP, client.stream.isInputEnded else { return false }
    return client.stream.hasLocalPeer.map(!)
  }

  /// Returns whether a program that sends nothing more has taken bytes since, which one that has gone would
  /// refuse.
  private func hasReadLately(_ client: Client) -> Bool {
    let waiting = isShared ? client.outgoing.count : 0
    return client.late > waiting + client.stream.unconfirmedCount
  }

  private func write(to client: Client) async {
    while await client.outgoing.waitForBytes(), !Task.isCancelled {
      do throws(ConsoleError) {
        // Written and taken in one step: another program may take the rest after each wait.
        let part = client.outgoing.bytes(isTCP ? ServerPort.part : ServerPort.unixPart) ?? []
        let isLate = isTCP && !isShared && client.stream.isInputEnded
        let count = try client.stream.writeNow(part[...])
        client.outgoing.remove(count)
        if isLate { client.late += count }
        client.lastWrite = LoopClock.now
        if isTCP, !isShared { keep(part.prefix(count), of: client) }
        if count == 0, await !client.stream.waitUntilWritable() { return }
      } catch {
        return leave(client)
      }
    }
  }

  /// Keeps what may have to be given to the next program: a program that has closed a TCP connection takes what is
  /// written to it, until its kernel refuses it.
  private func keep(_ bytes: ArraySlice<UInt8>, of client: Client) {
    client.unconfirmed += bytes
    client.unconfirmed = client.unconfirmed.suffix(client.stream.unconfirmedCount)
  }

  /// Ends a program that has gone; what it has sent is still read.
  private func leave(_ client: Client) {
    guard let index = clients.firstIndex(where: { $0 === client }) else { return }
    state.clients.remove(at: index)
    for task in client.tasks { task.cancel() }
    if isShared {
      let unread = client.outgoing.count - client.late
      if unread > 0 { report("a program left before it read \(unread.bytes)") }
      return
    }
    if client.stream.isHungUp {
      outgoing.putBack(Array(client.unconfirmed.suffix(client.stream.unconfirmedCount)))
    }
    if client.stream.hasLeftUnread { report("a program left before it read all that it was given") }
  }

  private func disconnect(_ client: Client, _ reason: String?) {
    if let reason { report(reason) }
    leave(client)
    client.input?.cancel()
  }
}
