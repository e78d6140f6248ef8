// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A characteristic's or descriptor's requests, one at a time, and its subscription; confined to the manager.
///
/// Lives from its first use until BlueZ forgets the attribute.
final class AttributeSession {
  /// A request that travels to the device.
  enum Request {
    /// From a byte of the value on.
    case read(from: Int = 0)
    case write([UInt8], WriteType)

    /// True if the device answers it.
    var isAnswered: Bool { if case .write(_, .withoutResponse) = self { false } else { true } }
  }

  let path: String
  let interface: String
  let device: DeviceSession
  /// Serializes requests: BlueZ executes one at a time.
  let requests = AsyncMutex()
  let subscribing = AsyncMutex()
  var notifications: NotifySession? {
    didSet {
      let handler = notifications.map { session in
        core.loop.confined { [weak session] (bytes: [UInt8]) in session?.signalled(bytes) }
      }
      core.client.follow(valuesOf: path, handler)
    }
  }
  /// The number of writes without response that the link carries before the device confirms them.
  var writeWindow = WriteWindow()
  /// True if another program had notifications on when this manager last called StartNotify.
  var hadOtherSubscribers = false
  /// True if such a program does not share the lock of the link.
  var hadForeignSubscribers = false
  /// The number of StopNotify calls that bluetoothd has not answered.
  ///
  /// Until it does, `Notifying` may be ours.
  private(set) var stopsUnderWay = 0
  /// The reason that BlueZ never answers another request on the attribute, and whether the device was paired
  /// then.
  private var refusal: (error: BLEError, isPaired: Bool)?
  /// The number of reads that BlueZ has not answered, whether or not their callers still wait.
  var readsUnderWay = 0

  var core: CentralCore { device.core }

  init(path: String, interface: String, device: DeviceSession) {
    self.path = path
    self.interface = interface
    self.device = device
  }

  func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: interface, at: path, to: BlueZ.service, body)
  }

  /// Returns the call of a request.
  func message(for request: Request) -> Message {
    switch request {
    case .read(let offset):
      message("ReadValue") { $0.properties(offset == 0 ? [] : [("offset", .uint16(UInt16(offset)))]) }
    case .write(let value, let type):
      message("WriteValue") {
        $0.bytes(value)
        // Always set: without a type BlueZ prefers a reliable write if the characteristic supports it.
        $0.properties(
          isCharacteristic ? [("type", .string(type == .withResponse ? "request" : "command"))] : [])
      }
    }
  }

  private var isCharacteristic: Bool { interface == BlueZ.gattCharacteristic }

  // MARK: Requests

  /// Throws at once if an earlier request on the attribute required pairing, and the device has not paired since.
  func requireAnswers(_ operation: Operation) throws(BLEError) {
    guard let refusal, refusal.isPaired == isDevicePaired() else { return }
    throw refusal.error.during(operation.action)
  }

  /// Explains the failure of a request, and remembers that it requires pairing.
  func explain(
    _ error: BLEError, _ operation: Operation
  ) async -> BLEError {
    let error = named(error, operation)
    let isRefused = error.code == .notPaired && error.cause == nil
    let explained = await FailureExplainer(device, operation).request(failedWith: error)
    if isRefused { refusal = (explained, isDevicePaired()) }
    if explained.code == .authenticationFailed { device.pairingFailed() }
    return explained
  }

  /// Names the answer 0x06 of a device, for which BlueZ has the words for what it does not support itself.
  private func named(
    _ error: BLEError, _ operation: Operation
  ) -> BLEError {
    guard case .notSupported = error.cause else { return error }
    switch operation.action {
    case .read: break
    // BlueZ itself refuses a write that the properties do not permit.
    case .write where core.client.model.characteristics[path]?.properties.contains(.write) ?? true: break
    default: return error
    }
    var named = error
    named.attError = .requestNotSupported
    named.message = "the device refuses (\(ATTError.requestNotSupported))"
    return named
  }

  private func isDevicePaired() -> Bool {
    core.client.model.devices[device.path]?.isPaired == true
  }

  /// Sends a request in its turn, and again while another program's is under way; explains a failure.
  ///
  /// An answer of the device proves that all earlier commands arrived. `willAsk` is called just before the device is
  /// asked for one, each time.
  ///
  /// - Returns: the value that was read; nothing for a write.
  @discardableResult
  func request(
    _ request: Request, _ operation: Operation, willAsk: () -> Void = {}
  ) async throws(BLEError) -> [UInt8] {
    if request.isAnswered { try requireAnswers(operation) }
    try await core.requireLink(of: device, operation)
    try await requests.take(for: operation, on: core.loop, orFailWith: "requests before it take too long")
    defer { requests.release() }
    let isRead = if case .read = request { true } else { false }
    // BlueZ also signals what it answers.
    let hasEcho = isRead && isCharacteristic
    let reply: Message
    var attempt = operation
    while true {
      let commands = device.commands.countBeforeRequest
      let begin = LoopClock.now
      do {
        if request.isAnswered {
          reply = try await device.exchange(
            attempt, answered: hasEcho ? { [weak self] in self?.readEnded($0) } : nil
          ) {
            willAsk()
            if hasEcho { readBegan() }
            return message(for: request)
          }
          device.commands.confirm(commands)
          device.bond.requestAnswered()
        } else {
          device.commands.add(1)
          reply = try await core.client.call(message(for: request), for: attempt)
        }
        break
      } catch {
        if request.isAnswered, error.isAnswerOfDevice { device.commands.confirm(commands) }
        let explainer = FailureExplainer(device, operation)
        let error = explainer.request(failedWith: error, after: begin.duration(to: LoopClock.now))
        guard error.isForeignRequest, !operation.deadline.isOver else {
          throw await explain(error, operation)
        }
        try await core.pause(.milliseconds(25), for: operation)
        if operation.deadline.isOver { throw error }
        // At the deadline, this attempt is either refused at once or under way: only its answer shows which.
        attempt = operation.lasting(.milliseconds(500))
      }
    }
    guard isRead else { return [] }
    // bluetoothd leaves the bytes out if there are none from the offset on, and it has read nothing before.
    if case .read(from: 1...) = request, reply.hasSignature("") { return [] }
    guard reply.hasSignature("ay") else {
      throw operation.error(.failed, "the answer is of type \(reply.signature), not ay")
    }
    return reply.withBody { $0.bytes() }
  }

  // MARK: Reads and their echoes

  /// Keeps the echo of a read out of the notifications, however late it comes.
  private func readBegan() {
    readsUnderWay += 1
    notifications?.readBegan()
  }

  private func readEnded(_ outcome: Result<Message, DBusError>) {
    let isSuccess = if case .success = outcome { true } else { false }
    readsUnderWay -= 1
    notifications?.readEnded(isSuccess: isSuccess)
  }

  // MARK: The end of the subscription

  func unsubscribe(_ source: BatchSource<ReceivedValue>) {
    guard let session = notifications else { return }
    session.remove(source)
    guard session.isUnused else { return }
    notifications = nil
    session.stop()
  }

  /// Returns when all values that bluetoothd has signalled so far were delivered.
  func passBarrier(_ operation: Operation) async throws(BLEError) {
    do {
      try await core.property("UUID", of: interface, at: path, operation)
    } catch {
      throw await FailureExplainer(device, operation).request(failedWith: error)
    }
  }

  func postStopNotify() {
    stopsUnderWay += 1
    let answered = core.loop.confined { [weak self] (_: Result<Message, DBusError>) in
      guard let self else { return }
      stopsUnderWay -= 1
      core.evaluateConditions()
    }
    core.client.begin(message("StopNotify"), timeout: CentralCore.lateReplyTime, observer: answered)
  }

  /// Handles the loss of the link; values that wait in a socket are still read.
  func linkLost() {
    notifications?.stopSignals()
    endNotifications()
  }

  func linkReleased() {
    notifications?.stop()
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
  func managerReleased() {
    if notifications?.isStarted == true { core.connection.post(message("StopNotify")) }
    end(.managerClosed)
  }

  /// Ends the subscription, with a reason that is known or will be in a moment.
  func endNotifications(because reason: BLEError? = nil) {
    guard let session = notifications else { return }
    notifications = nil
    if let reason, !session.hasSocket {
      session.end(reason)
    } else {
      session.endLater(because: reason, of: device.path)
    }
  }
}
