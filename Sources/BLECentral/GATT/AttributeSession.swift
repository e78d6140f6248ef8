// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A characteristic's or descriptor's requests, one at a time, and its subscription; confined to the manager.
///
/// Lives from its first use until BlueZ forgets the attribute.
final class AttributeSession {
  let path: String
  let interface: String
  let device: DeviceSession
  /// Serializes requests: BlueZ executes one at a time.
  let requests = AsyncMutex()
  let subscribing = AsyncMutex()
  var notifications: NotifySession?
  /// How many writes without response the link carries before the device confirms them.
  var writeWindow = WriteWindow()
  /// Whether another program had notifications on when this manager last called StartNotify.
  var hadOtherSubscribers = false
  /// Whether such a program does not share the lock of the link.
  var hadForeignSubscribers = false
  /// How many calls of StopNotify bluetoothd has not answered; until then `Notifying` may be ours.
  private(set) var stopsUnderWay = 0
  /// Why BlueZ never answers another request on the attribute, and whether the device was paired then.
  private var refusal: (error: BLEError, isPaired: Bool)?
  /// How many reads BlueZ has not answered, whether or not their callers still wait.
  var readsUnderWay = 0

  init(path: String, interface: String, device: DeviceSession) {
    self.path = path
    self.interface = interface
    self.device = device
  }

  func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: interface, at: path, to: BlueZ.service, body)
  }

  private var isCharacteristic: Bool { interface == BlueZ.gattCharacteristic }

  // MARK: Requests

  /// Throws at once if an earlier request on the attribute required pairing, and the device has not paired since.
  func requireAnswers(_ operation: Operation, in central: isolated CentralManager) throws(BLEError) {
    guard let refusal, refusal.isPaired == isDevicePaired(in: central) else { return }
    throw refusal.error.during(operation.action)
  }

  /// Explains the failure of a request, and remembers that it requires pairing.
  func explain(
    _ error: BLEError, _ operation: Operation, in central: isolated CentralManager
  ) async -> BLEError {
    let error = named(error, operation, in: central)
    let isRefused = error.code == .notPaired && error.cause == nil
    let explained = await FailureExplainer(device, operation).request(failedWith: error, in: central)
    if isRefused { refusal = (explained, isDevicePaired(in: central)) }
    if explained.code == .authenticationFailed { device.pairingFailed(in: central) }
    return explained
  }

  /// Names the answer 0x06 of a device, for which BlueZ has the words for what it does not support itself.
  private func named(
    _ error: BLEError, _ operation: Operation, in central: isolated CentralManager
  ) -> BLEError {
    guard case .notSupported = error.cause else { return error }
    switch operation.action {
    case .read: break
    // BlueZ itself refuses a write that the properties do not permit.
    case .write where central.model.characteristics[path]?.properties.contains(.write) ?? true: break
    default: return error
    }
    var named = error
    named.attError = .requestNotSupported
    named.message = "the device refuses (\(ATTError.requestNotSupported))"
    return named
  }

  private func isDevicePaired(in central: isolated CentralManager) -> Bool {
    central.model.devices[device.path]?.isPaired == true
  }

  /// Calls `willAsk` just before BlueZ is called, each time.
  func read(
    _ operation: Operation, in central: isolated CentralManager, _ willAsk: () -> Void = {}
  ) async throws(BLEError) -> [UInt8] {
    let reply = try await request(operation, in: central) { (operation) throws(BLEError) in
      willAsk()
      let message = message("ReadValue") { $0.properties([]) }
      guard isCharacteristic else { return try await central.client.call(message, for: operation) }
      return try await callRead(message, operation, in: central)
    }
    guard reply.hasSignature("ay") else {
      throw operation.error(.failed, "the answer is of type \(reply.signature), not ay")
    }
    return reply.withBody { $0.bytes() }
  }

  func write(
    _ value: [UInt8], _ type: WriteType, _ operation: Operation,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    try await request(operation, isAnswered: type == .withResponse, in: central) {
      (operation) throws(BLEError) in
      let message = message("WriteValue") {
        $0.bytes(value)
        // Always set: without a type BlueZ prefers a reliable write if the characteristic supports it.
        $0.properties(
          isCharacteristic ? [("type", .string(type == .withResponse ? "request" : "command"))] : [])
      }
      if type == .withoutResponse { device.commands.add(1) }
      return try await central.client.call(message, for: operation)
    }
  }

  /// Sends a request in its turn, and again while another program's is under way; explains a failure.
  ///
  /// An answer of the device (`isAnswered`) proves that all earlier commands arrived.
  @discardableResult
  private func request(
    _ operation: Operation, isAnswered: Bool = true, in central: isolated CentralManager,
    _ send: (Operation) async throws(BLEError) -> Message
  ) async throws(BLEError) -> Message {
    if isAnswered { try requireAnswers(operation, in: central) }
    try await central.requireLink(of: device, operation)
    try await requests.take(for: operation, on: central.loop, orFailWith: "requests before it take too long")
    defer { requests.release() }
    var attempt = operation
    while true {
      let commands = device.commands.countBeforeRequest
      let begin = LoopClock.now
      do {
        let reply =
          if isAnswered {
            try await device.exchange(attempt, in: central) { () throws(BLEError) in try await send(attempt) }
          } else {
            try await send(attempt)
          }
        if isAnswered { device.commands.confirm(commands) }
        return reply
      } catch {
        if isAnswered, error.isAnswerOfDevice { device.commands.confirm(commands) }
        let explainer = FailureExplainer(device, operation)
        let error = explainer.request(failedWith: error, after: begin.duration(to: LoopClock.now))
        guard error.isForeignRequest, !operation.deadline.isOver else {
          throw await explain(error, operation, in: central)
        }
        try await central.pause(.milliseconds(25), for: operation)
        if operation.deadline.isOver { throw error }
        // At the deadline, this attempt is either refused at once or under way: only its answer shows which.
        attempt = operation.lasting(.milliseconds(500))
      }
    }
  }

  // MARK: Reads and their echoes

  /// Calls ReadValue, and keeps its echo out of the notifications, however late it comes.
  private func callRead(
    _ message: Message, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Message {
    readsUnderWay += 1
    notifications?.readBegan()
    return try await central.callUntilAnswered(message, for: operation) { [path] central, outcome in
      central.sessions.attributes[path]?.readEnded(outcome)
    }
  }

  private func readEnded(_ outcome: Result<Message, DBusError>) {
    let isSuccess = if case .success = outcome { true } else { false }
    readsUnderWay -= 1
    notifications?.readEnded(isSuccess: isSuccess)
  }

  // MARK: The end of the subscription

  func unsubscribe(_ source: BatchSource<ReceivedValue>, in central: isolated CentralManager) {
    guard let session = notifications else { return }
    session.remove(source)
    guard session.isUnused else { return }
    notifications = nil
    session.stop(in: central)
  }

  /// Returns when all values that bluetoothd has signalled so far were delivered.
  func passBarrier(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    do {
      try await central.property("UUID", of: interface, at: path, operation)
    } catch {
      throw await FailureExplainer(device, operation).request(failedWith: error, in: central)
    }
  }

  func postStopNotify(in central: isolated CentralManager) {
    stopsUnderWay += 1
    central.client.begin(message("StopNotify"), timeout: CentralManager.lateReplyTime) {
      [weak central, path] _ in
      central?.assumeIsolated { central in
        central.sessions.attributes[path]?.stopsUnderWay -= 1
        central.conditions.look(at: central.model, outage: central.outage)
      }
    }
  }

  /// Handles the loss of the link; values that wait in a socket are still read.
  func linkLost(in central: isolated CentralManager) {
    notifications?.stopSignals(in: central)
    endNotifications(in: central)
  }

  func linkReleased(in central: isolated CentralManager) {
    notifications?.stop(in: central)
    end(BLEError(.disconnected, during: .receiveNotifications, "the link was released"))
  }

  func attributeRemoved() {
    end(BLEError(.notFound, during: .receiveNotifications, "the characteristic is gone"))
  }

  private func end(_ error: BLEError) {
    notifications?.end(error)
    notifications = nil
  }

  /// Ends the subscription of a manager that is being released.
  func end(withManagerOn client: BlueZClient) {
    if notifications?.isStarted == true { client.connection.post(message("StopNotify")) }
    end(.managerClosed)
  }

  /// Ends the subscription, with a reason that is known or will be in a moment.
  func endNotifications(because reason: BLEError? = nil, in central: isolated CentralManager) {
    guard let session = notifications else { return }
    notifications = nil
    if let reason, !session.hasSocket {
      session.end(reason)
    } else {
      session.endLater(because: reason, of: device.path, in: central)
    }
  }
}
