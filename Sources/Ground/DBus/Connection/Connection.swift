// SPDX-License-Identifier: MIT
package import AsyncIO
internal import CDBus
package import Logging

/// A private connection to a message bus.
///
/// libdbus finds the bus, authenticates and says Hello (``BusHandshake``). After that, this library reads and
/// writes the socket (``BusSocket``). Everything runs on the thread of ``loop``, which is also this actor's
/// executor. Therefore no lock is needed, and messages are handled in the order in which the bus sent them.
package actor Connection: LoopActor {
  /// The loop that reads the bus; actors that share it can be called without a thread switch.
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// The maximum number of calls in flight: the reference bus refuses the 129th of a connection.
  static let callLimit = 96

  /// The connection of libdbus, which owns the socket.
  private let raw: OpaquePointer
  let logger: Logger
  /// True if traffic is logged: read once, so that it costs nothing when off.
  let isTracing: Bool
  /// Our name on the bus, such as `:1.42`.
  package private(set) var uniqueName = ""
  /// The unique identifier of this bus instance; empty if the bus has none.
  package private(set) var busID = ""
  package private(set) var isOpen = true
  /// True if the bus has left a question unanswered, and sent nothing since.
  package private(set) var isSilent = false
  /// The number of messages received.
  private var receivedCount: UInt64 = 0
  /// True if the socket leads directly to the bus.
  ///
  /// Through a program such as ssh, no descriptors pass, and written data may not have arrived yet.
  package nonisolated let isDirect: Bool

  var pending = PendingCalls()
  var callTimer: (id: TimerID, deadline: ContinuousClock.Instant)?
  /// A permit for each call in flight.
  let slots = AsyncSemaphore(Connection.callLimit)
  var router = SignalRouter()
  /// Our objects, by path.
  var exports: [String: Export] = [:]
  var methodHandler: (@Sendable (Message) -> Bool)?
  private var lossHandlers: [@Sendable () -> Void] = []
  private(set) var socket: BusSocket?

  /// Connects to a bus, authenticates and says Hello.
  ///
  /// - Parameters:
  ///   - address: the bus.
  ///   - loop: the loop that reads it.
  ///   - timeout: how long the bus may take to answer Hello; nil means no limit.
  ///   - gathersMessages: whether messages are written at the end of a turn of the loop, with one system
  ///     call. Otherwise ``send(_:)`` writes before it returns, ahead of later messages of other connections.
  ///   - logger: gets the traffic, at level `trace`.
  /// - Returns: the connection.
  /// - Throws: ``DBusError`` with the error of libdbus or the bus; `.timedOut` if the bus does not answer.
  package static func open(
    _ address: BusAddress, on loop: EventLoop = .shared, timeout: Duration? = .seconds(20),
    gathersMessages: Bool = false,
    logger: Logger = Logger(label: "dbus") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(DBusError) -> Connection {
    let connection = Connection(
      try openedSocket(to: address), isDirect: !address.runsProgram, loop: loop, logger: logger)
    do {
      try await connection.start(timeout: timeout, gathersMessages: gathersMessages)
    } catch {
      await connection.close()
      throw error
    }
    return connection
  }

  /// Lets libdbus open a connection of its own.
  private static func openedSocket(to address: BusAddress) throws(DBusError) -> sending OpaquePointer {
    var error = cdbus_error_init()
    let opened = { dbus_connection_open_private(address.text, &error) }
    if let raw = address.runsProgram ? StartedPrograms.collected(opened) : opened() { return raw }
    defer { dbus_error_free(&error) }
    throw DBusError(
      .disconnected, name: error.name.map { String(cString: $0) } ?? ErrorName.failed,
      message: error.message.map { String(cString: $0) } ?? "")
  }

  private init(_ raw: sending OpaquePointer, isDirect: Bool, loop: EventLoop, logger: Logger) {
    self.raw = raw
    self.isDirect = isDirect
    self.loop = loop
    self.logger = logger
    isTracing = logger.logLevel <= .trace
  }

  isolated deinit {
    if isOpen { shutDown() }
    dbus_connection_unref(raw)
  }

  private func start(timeout: Duration?, gathersMessages: Bool) async throws(DBusError) {
    dbus_connection_set_exit_on_disconnect(raw, 0)
    uniqueName = try await greet(timeout: timeout)
    if let text = dbus_connection_get_server_id(raw) {
      busID = String(cString: text)
      dbus_free(text)
    }
    var descriptor: Int32 = -1
    guard isOpen, dbus_connection_get_unix_fd(raw, &descriptor) != 0 else { throw .disconnected }
    socket = BusSocket(
      descriptor, on: loop, gathersMessages: gathersMessages,
      received: handler { $0.receive($1) },
      ended: { [weak self] in self?.assumeIsolated { $0.lose() } })
  }

  private func greet(timeout: Duration?) async throws(DBusError) -> String {
    let greeting = BusHandshake(raw, on: loop)
    let promise = greeting.outcome
    let outcome = await promise.value(
      until: timeout.map { LoopClock.now + $0 }, on: loop, ifLate: .failure(.timedOut),
      ifCancelled: .failure(.cancelled))
    greeting.finish(outcome)
    return try outcome.get()
  }

  // MARK: Receiving

  private func receive(_ message: Message) {
    guard isOpen else { return }
    receivedCount &+= 1
    isSilent = false
    if isTracing { logger.trace("← \(message.traceDescription(isSecret: isSecret(message)))") }
    switch message.kind {
    case .methodReturn, .error: finishCall(message)
    case .signal: router.route(message)
    case .methodCall: if !takeCall(message), !answerPeer(message) { refuseCall(message) }
    case .unknown: break
    }
  }

  // MARK: The end

  /// The time after which a silent bus behind a program counts as gone.
  private static let timeToAnswer = Duration.seconds(1)

  /// Asks the bus itself, and calls `report` with whether nothing has come from it until the answer was due.
  ///
  /// A bus that is reached directly is never silent: there is nothing that could hang on the way.
  package func lookForSilence(_ report: @escaping @Sendable (Bool) -> Void) {
    guard isOpen, !isDirect, !isSilent else { return report(isOpen && isSilent) }
    let before = receivedCount
    let question = Message(call: "GetId", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name)
    begin(question, timeout: Connection.timeToAnswer) { [weak self] outcome in
      let isSilent = self?.assumeIsolated { connection in
        guard case .failure(let error) = outcome, error.origin == .timedOut else { return false }
        if connection.receivedCount == before { connection.isSilent = true }
        return connection.isSilent
      }
      report(isSilent ?? false)
    }
  }

  /// Loses the bus if it is silent, so that nobody waits for it: when the last thing to do is to leave it.
  package func loseIfSilent() {
    lookForSilence { [weak self] isSilent in
      if isSilent { self?.assumeIsolated { $0.lose() } }
    }
  }

  /// Calls `handler` on the loop when the bus is lost, but not after ``close(flushingFor:)``.
  package func onLoss(_ handler: @escaping @Sendable () -> Void) { lossHandlers.append(handler) }

  private func lose() {
    guard isOpen else { return }
    shutDown()
    let handlers = lossHandlers
    lossHandlers = []
    for handler in handlers { handler() }
  }

  /// Writes the queued messages within a time limit.
  package func flush(for limit: Duration = .milliseconds(500)) { socket?.drain(for: limit) }

  /// Writes the queued messages within a time limit, then leaves the bus.
  package func close(flushingFor limit: Duration = .milliseconds(500)) {
    guard isOpen else { return }
    flush(for: limit)
    shutDown()
  }

  /// Leaves the bus once it has received all messages; waits for an answer if a program is in between.
  package func closeBehindAll(within limit: Duration = .seconds(1)) async {
    if isOpen, !isDirect {
      let ping = Message(call: "GetId", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name)
      _ = try? await call(ping, timeout: limit)
    }
    close()
  }

  private func shutDown() {
    isOpen = false
    socket?.close()
    socket = nil
    dbus_connection_close(raw)
    // Calls that wait for a slot get one, and fail.
    finish(pending.takeAll { _ in true }, .disconnected)
    if let callTimer { loop.cancel(callTimer.id) }
    callTimer = nil
    exports = [:]
    methodHandler = nil
  }
}
