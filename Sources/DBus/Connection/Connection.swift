// SPDX-License-Identifier: MIT
package import AsyncIO
internal import CDBus
package import Logging

/// A private connection to a message bus.
///
/// libdbus finds the bus and enters it (``BusGreeting``); from then on its socket is read and written here
/// (``BusSocket``). Everything happens on the thread of ``loop``, which is also this actor's executor: no lock is needed,
/// and messages are handled in the order in which the bus sent them.
package actor Connection {
  /// The loop that reads the bus.
  ///
  /// Actors that share it are reached without a change of thread.
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// How many calls may be in flight: the reference bus refuses the 129th of a connection.
  static let callLimit = 96

  /// libdbus' connection: it has found and entered the bus, and owns the socket.
  private let raw: OpaquePointer
  let logger: Logger
  /// Whether traffic is logged: asked once, so that it costs nothing when off.
  let isTracing: Bool
  /// Our name on the bus, such as `:1.42`.
  package private(set) var uniqueName = ""
  /// The identifier of the bus, which no other instance of a bus has; empty where the bus gave none.
  package private(set) var busID = ""
  package private(set) var isOpen = true

  var pending = PendingCalls()
  var callTimer: (id: TimerID, deadline: ContinuousClock.Instant)?
  var waitingForSlot: [Promise<Void>] = []
  var router = SignalRouter()
  /// Objects of ours, by the paths that calls of them come for.
  var exports: [String: LocalObjects] = [:]
  var methodHandler: (@Sendable (Message) -> Bool)?
  private var lossHandlers: [@Sendable () -> Void] = []
  /// The socket, once the bus is entered.
  private(set) var socket: BusSocket?

  /// Connects to a bus, authenticates and says Hello.
  ///
  /// - Parameters:
  ///   - address: the bus.
  ///   - loop: what reads it.
  ///   - timeout: how long the bus may take to answer Hello; nil is without limit.
  ///   - gathersMessages: whether what is sent in one turn of the loop is written at its end, with one system call.
  ///     Otherwise it is on its way when ``send(_:)`` returns, ahead of whatever another connection sends afterwards.
  ///   - logger: where traffic is told, at `trace`.
  /// - Returns: the connection.
  /// - Throws: ``DBusError`` with what libdbus or the bus said; `.timedOut` when the bus does not answer.
  package static func open(
    _ address: BusAddress, on loop: EventLoop = .shared, timeout: Duration? = .seconds(20),
    gathersMessages: Bool = false,
    logger: Logger = Logger(label: "dbus") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(DBusError) -> Connection {
    var error = cdbus_error_init()
    guard let raw = dbus_connection_open_private(address.text, &error) else {
      defer { dbus_error_free(&error) }
      throw DBusError(
        .disconnected, name: error.name.map { String(cString: $0) } ?? ErrorName.failed,
        message: error.message.map { String(cString: $0) } ?? "")
    }
    nonisolated(unsafe) let owned = raw
    let connection = Connection(owned, loop: loop, logger: logger)
    do {
      try await connection.start(timeout: timeout, gathersMessages: gathersMessages)
    } catch {
      await connection.close()
      throw error
    }
    return connection
  }

  private init(_ raw: sending OpaquePointer, loop: EventLoop, logger: Logger) {
    self.raw = raw
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
      received: { [weak self] message in self?.assumeIsolated { $0.receive(message) } },
      ended: { [weak self] in self?.assumeIsolated { $0.lose() } })
  }

  /// Says Hello and waits for our name.
  private func greet(timeout: Duration?) async throws(DBusError) -> String {
    let greeting = BusGreeting(raw, on: loop)
    let timer = timeout.map { limit in
      loop.schedule(at: LoopClock.now + limit) { greeting.finish(.failure(.timedOut)) }
    }
    let promise = greeting.outcome
    let outcome = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(.failure(.cancelled))
    }
    if let timer { loop.cancel(timer) }
    greeting.finish(outcome)
    return try outcome.get()
  }

  // MARK: Receiving

  private func receive(_ message: Message) {
    guard isOpen else { return }
    if isTracing { logger.trace("← \(message.traceDescription)") }
    switch message.kind {
    case .methodReturn, .error: finishCall(message)
    case .signal: routeSignal(message)
    case .methodCall: if !answerPeer(message), !takeCall(message) { refuseCall(message) }
    case .unknown: break
    }
  }

  // MARK: The end

  /// Calls `handler` on the loop once the bus is lost; not when ``close(flushingFor:)`` ends the connection.
  package func onLoss(_ handler: @escaping @Sendable () -> Void) { lossHandlers.append(handler) }

  private func lose() {
    guard isOpen else { return }
    shutDown()
    let handlers = lossHandlers
    lossHandlers = []
    for handler in handlers { handler() }
  }

  /// Writes what is queued, for at most a while, and leaves the bus.
  package func close(flushingFor limit: Duration = .milliseconds(500)) {
    guard isOpen else { return }
    socket?.drain(for: limit)
    shutDown()
  }

  private func shutDown() {
    isOpen = false
    socket?.close()
    socket = nil
    dbus_connection_close(raw)
    for waiter in pending.takeAll(where: { _ in true }) { waiter.finish(.failure(.disconnected)) }
    for slot in waitingForSlot { slot.fulfil(()) }
    waitingForSlot = []
    if let callTimer { loop.cancel(callTimer.id) }
    callTimer = nil
    exports = [:]
    methodHandler = nil
  }
}
