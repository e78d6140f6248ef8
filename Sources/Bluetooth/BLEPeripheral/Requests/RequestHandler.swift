// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Answers the reads and writes of centrals, which bluetoothd forwards; confined to the loop's thread.
final class RequestHandler {
  /// A call that waits for the program's answer.
  private struct OpenCall {
    let timer: TimerID
    /// Answers on behalf of the program.
    let expire: @Sendable () -> Void
    /// Ends the call without an answer, because bluetoothd no longer waits for one.
    let abandon: @Sendable () -> Void
  }

  private let client: BlueZClient
  private let centrals: Centrals
  private let events: EventHub
  /// The calls that wait for the program's answer, by number.
  private var open: [Int: OpenCall] = [:]
  private var lastNumber = 0
  /// The whole values of unfinished long reads, by the paths of attribute and central.
  private var longReads: [String: [String: LongRead]] = [:]

  init(_ client: BlueZClient, _ centrals: Centrals, _ events: EventHub) {
    (self.client, self.centrals, self.events) = (client, centrals, events)
  }

  /// Answers a call of bluetoothd to an attribute; returns nil if there is no such method.
  func answer(_ method: String, _ call: Message, to attribute: ServedAttribute) -> LocalAnswer? {
    switch (method, call.signature) {
    case ("ReadValue", "a{sv}"): return read(attribute, call, RequestOptions(call.values.first))
    case ("WriteValue", "aya{sv}"):
      let arguments = call.values
      guard case .bytes(let bytes) = arguments.first else { return nil }
      return write(attribute, bytes, call, RequestOptions(arguments.last))
    default: return attribute.answer(method, call)
    }
  }

  // MARK: Reads

  private func read(_ attribute: ServedAttribute, _ call: Message, _ options: RequestOptions) -> LocalAnswer {
    guard let central = centrals.sender(options.devicePath) else {
      return .now(ATTError.unlikelyError.reply(to: call, isRead: true))
    }
    let request = ReadRequest(
      central: central, uuid: attribute.uuid, offset: options.offset, mtu: options.mtu)
    let long = longReads[attribute.path]?[options.devicePath]
    if options.offset > 0, let whole = long?.value(at: LoopClock.now) {
      guard options.offset <= whole.count else {
        return .now(refuse(attribute, call, request, .invalidOffset))
      }
      return .now(part(whole[options.offset...], of: whole, attribute, call, options))
    }
    let conclude = { [unowned self] (outcome: Result<ReadAnswer, ATTError>) -> Message in
      answerFirst(outcome, attribute, call, request, options)
    }
    switch attribute.reading {
    case .value: return .now(conclude(.success(.whole(attribute.value))))
    case .immediate(let handler):
      return .now(conclude(Result { () throws(ATTError) in .whole(try handler(request)) }))
    case .deferred(let handler):
      return later(call, conclude) { answer in
        run(answer) { () async throws(ATTError) in .whole(try await handler(request)) }
      }
    case .pending(let handler): return later(call, conclude) { handler(request, $0) }
    }
  }

  private func answerFirst(
    _ outcome: Result<ReadAnswer, ATTError>, _ attribute: ServedAttribute, _ call: Message,
    _ request: ReadRequest, _ options: RequestOptions
  ) -> Message {
    let rest: ArraySlice<UInt8>
    switch outcome {
    case .success(.whole(let bytes)):
      let whole = bytes.prefix(LocalCharacteristic.maximumLength)
      guard request.offset <= whole.count else { return refuse(attribute, call, request, .invalidOffset) }
      rest = whole[request.offset...]
    case .success(.rest(let bytes)):
      let room = LocalCharacteristic.maximumLength - request.offset
      guard room >= 0 else { return refuse(attribute, call, request, .invalidOffset) }
      rest = bytes.prefix(room)
    case .failure(let error): return refuse(attribute, call, request, error)
    }
    events.report(.read(attribute.access(by: request.central, at: request.offset, Array(rest))))
    // A handler's answer for a part in the middle may be valid only from there on.
    return part(rest, of: request.offset == 0 ? Array(rest) : nil, attribute, call, options)
  }

  private func refuse(
    _ attribute: ServedAttribute, _ call: Message, _ request: ReadRequest, _ error: ATTError
  ) -> Message {
    events.report(.refused(attribute.access(by: request.central, at: request.offset, []), error))
    return error.reply(to: call, isRead: true)
  }

  /// Returns the bytes from the offset on: BlueZ cuts them at the MTU, and asks again with a higher offset.
  ///
  /// The whole value is kept until its last part, so that all parts belong together.
  private func part(
    _ rest: ArraySlice<UInt8>, of whole: [UInt8]?, _ attribute: ServedAttribute, _ call: Message,
    _ options: RequestOptions
  ) -> Message {
    let isLast = rest.count < options.mtu - 1
    longReads[attribute.path, default: [:]][options.devicePath] =
      isLast ? nil : whole.map { LongRead($0, at: LoopClock.now) }
    return Message(replyTo: call) { $0.bytes(Array(rest)) }
  }

  // MARK: Writes

  private func write(
    _ attribute: ServedAttribute, _ bytes: [UInt8], _ call: Message, _ options: RequestOptions
  ) -> LocalAnswer {
    guard let central = centrals.sender(options.devicePath) else {
      return .now(ATTError.unlikelyError.reply(to: call, isRead: false))
    }
    // Prepared writes are decided when they are executed.
    if options.isAuthorization { return .now(Message(replyTo: call)) }
    let request = WriteRequest(
      central: central, uuid: attribute.uuid, value: bytes, offset: options.offset, mtu: options.mtu)
    let conclude = { [events] (outcome: Result<Void, ATTError>) -> Message in
      switch outcome {
      case .success:
        events.report(.wrote(attribute.access(by: central, at: request.offset, bytes)))
        return Message(replyTo: call)
      case .failure(let error):
        events.report(.refused(attribute.access(by: central, at: request.offset, []), error))
        return error.reply(to: call, isRead: false)
      }
    }
    switch attribute.writing {
    case .store: return .now(conclude(Result { () throws(ATTError) in try attribute.store(request) }))
    case .immediate(let handler):
      return .now(conclude(Result { () throws(ATTError) in try handler(request) }))
    case .deferred(let handler):
      return later(call, conclude) { answer in
        run(answer) { () async throws(ATTError) in try await handler(request) }
      }
    case .pending(let handler): return later(call, conclude) { handler(request, $0) }
    }
  }

  // MARK: Answers that come later

  private func later<Value>(
    _ call: Message, _ conclude: @escaping (Result<Value, ATTError>) -> Message,
    _ handler: (PendingAnswer<Value>) -> Void
  ) -> LocalAnswer {
    lastNumber += 1
    let number = lastNumber
    let concluded = client.loop.confined { [weak self] (outcome: Result<Value, ATTError>) in
      guard let self else { return }
      if let timer = open.removeValue(forKey: number)?.timer { client.loop.cancel(timer) }
      let reply = conclude(outcome)
      if call.wantsReply { client.connection.assumeIsolated { _ = try? $0.send(reply) } }
    }
    let answer = PendingAnswer<Value>(on: client.loop, conclude: concluded)
    let deadline = LoopClock.now + PeripheralManager.answerTime
    let timer = client.loop.schedule(at: deadline) { answer.expire() }
    open[number] = OpenCall(timer: timer, expire: { answer.expire() }, abandon: { answer.abandon() })
    handler(answer)
    return .later
  }

  /// Runs an asynchronous handler on the loop, until its time is over.
  private func run<Value>(
    _ answer: PendingAnswer<Value>, _ handler: @escaping @Sendable () async throws(ATTError) -> Value
  ) {
    let task = Task(executorPreference: client.loop) {
      do throws(ATTError) {
        answer.give(.success(try await handler()))
      } catch {
        answer.give(.failure(error))
      }
    }
    answer.onExpiry { task.cancel() }
  }

  // MARK: Ends

  /// Answers all open requests on behalf of the program.
  func expireAll() {
    for entry in open.values { entry.expire() }
  }

  /// Drops all open requests: bluetoothd has ended.
  func abandonAll() {
    for entry in open.values {
      client.loop.cancel(entry.timer)
      entry.abandon()
    }
    open = [:]
    longReads = [:]
  }

  func disconnected(_ central: String) {
    for path in longReads.keys { longReads[path]?[central] = nil }
  }

  func forget(_ attribute: ServedAttribute) { longReads[attribute.path] = nil }
}

/// The options of ReadValue and WriteValue.
struct RequestOptions {
  var devicePath = ""
  var offset = 0
  var mtu = 23
  /// True if the central only asks to prepare a write, whose contents are not known yet.
  var isAuthorization = false

  init(_ value: DBusValue?) {
    if let path = value?["device"]?.text { devicePath = path }
    if case .uint16(let number) = value?["offset"] { offset = Int(number) }
    if case .uint16(let number) = value?["mtu"] { mtu = Int(number) }
    if case .boolean(let isOn) = value?["prepare-authorize"] { isAuthorization = isOn }
  }
}

/// The value of a long read that has more parts to follow, so that all parts belong together.
struct LongRead {
  /// The time limit for the next part, which is BlueZ's limit for a request.
  ///
  /// A later part is read like a first one.
  private static let time = Duration.seconds(30)

  private let value: [UInt8]
  private let end: ContinuousClock.Instant

  init(_ value: [UInt8], at now: ContinuousClock.Instant) {
    self.value = value
    end = now + Self.time
  }

  /// The value; nil if the next part comes too late.
  func value(at now: ContinuousClock.Instant) -> [UInt8]? { now < end ? value : nil }
}
