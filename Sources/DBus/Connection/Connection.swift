// SPDX-License-Identifier: MIT
internal import CDBus
package import Logging

/// A private connection to a message bus.
///
/// All of libdbus is called on the thread of ``loop``, which is also this actor's executor: no lock is needed, and
/// messages are handled in the order in which the bus sent them.
package actor Connection {
  /// The loop that reads the bus.
  ///
  /// Actors that share it are reached without a change of thread.
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// How many calls may be in flight: the reference bus refuses the 129th of a connection.
  static let callLimit = 96

  let raw: OpaquePointer
  let logger: Logger
  /// Whether traffic is logged: asked once, so that it costs nothing when off.
  let isTracing: Bool
  /// Our name on the bus, such as `:1.42`.
  package private(set) var uniqueName = ""
  package private(set) var isOpen = true

  var pending = PendingCalls()
  var callTimer: (id: TimerID, deadline: ContinuousClock.Instant)?
  var waitingForSlot: [Promise<Void>] = []
  var router = SignalRouter()
  /// Objects of ours, by the paths that calls of them come for.
  var exports: [String: LocalObjects] = [:]
  var methodHandler: (@Sendable (Message) -> Bool)?
  private var lossHandlers: [@Sendable () -> Void] = []
  private var watches: ConnectionWatches?

  /// Connects to a bus, authenticates and says Hello.
  ///
  /// - Throws: ``DBusError`` with what libdbus or the bus said; `.timedOut` when the bus does not answer.
  package static func open(
    _ address: BusAddress, on loop: EventLoop = .shared, timeout: Duration? = .seconds(20),
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
      try await connection.start(timeout: timeout)
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

  private func start(timeout: Duration?) async throws(DBusError) {
    dbus_connection_set_exit_on_disconnect(raw, 0)
    let added = dbus_connection_add_filter(
      raw,
      { _, rawMessage, context in
        guard let rawMessage, let context else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        let message = Message(retaining: rawMessage)
        let isHandled = connection.assumeIsolated { $0.receive(message) }
        return isHandled ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    precondition(added != 0, "no memory for a bus connection")
    let watches = ConnectionWatches(loop: loop) { [weak self] in
      self?.assumeIsolated { $0.dispatch() }
    }
    self.watches = watches
    watches.attach(to: raw)
    let hello = Message(call: "Hello", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name)
    let reply = try await call(hello, timeout: timeout)
    uniqueName = reply.values.first?.text ?? ""
    dbus_bus_set_unique_name(raw, uniqueName)
  }

  // MARK: Receiving

  /// Handles every message that has arrived whole.
  private func dispatch() {
    guard isOpen else { return }
    while isOpen, dbus_connection_dispatch(raw) == DBUS_DISPATCH_DATA_REMAINS {}
  }

  private func receive(_ message: Message) -> Bool {
    if isTracing { logger.trace("← \(message.traceDescription)") }
    switch message.kind {
    case .methodReturn, .error: return finishCall(message)
    case .signal:
      if dbus_message_is_signal(message.raw, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
        lose()
        return true
      }
      routeSignal(message)
      return true
    case .methodCall: return takeCall(message)
    case .unknown: return false
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
    let deadline = ContinuousClock.now + limit
    while dbus_connection_has_messages_to_send(raw) != 0, dbus_connection_get_is_connected(raw) != 0,
      ContinuousClock.now < deadline
    {
      dbus_connection_read_write(raw, 20)
    }
    shutDown()
  }

  private func shutDown() {
    isOpen = false
    watches?.detach(from: raw)
    watches = nil
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
