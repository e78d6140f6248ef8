// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The calls of bluetoothd to the objects of a service.
extension PeripheralManager {
  func receive(_ method: String, _ call: Message, at path: String, of number: Int) -> LocalAnswer? {
    guard let publication = publications[number], let attribute = publication.attributes[path] else {
      return nil
    }
    let arguments = call.values
    switch (method, call.signature) {
    case ("ReadValue", "a{sv}"): return read(attribute, call, RequestOptions(arguments.first))
    case ("WriteValue", "aya{sv}"):
      guard case .bytes(let bytes) = arguments.first else { return nil }
      return write(attribute, bytes, call, RequestOptions(arguments.last))
    case ("StartNotify", ""): setSubscribed(true, attribute, publication)
    case ("StopNotify", ""): setSubscribed(false, attribute, publication)
    case ("AcquireNotify", "a{sv}") where attribute.transport == .acquireNotify:
      return acquireNotify(attribute, call, publication)
    case ("Confirm", ""): confirmed(attribute, handle(for: attribute, in: publication))
    default: return nil
    }
    return .now(Message(replyTo: call))
  }

  private func setSubscribed(_ isOn: Bool, _ attribute: ServedAttribute, _ publication: Publication) {
    // BlueZ calls StartNotify once for each central.
    let characteristic = handle(for: attribute, in: publication)
    if isOn {
      attribute.subscribers.signalled(among: recentCentrals)
      return report(.subscribed(characteristic))
    }
    attribute.subscribers.signalsEnded()
    subscribersChanged(of: attribute, in: publication, wasSubscribed: true)
  }

  /// The central that has sent a request: it is the most recent one.
  private func sender(_ options: RequestOptions) -> Central? {
    let path = options.devicePath
    if recentCentrals.last != path, let index = recentCentrals.firstIndex(of: path) {
      recentCentrals.append(recentCentrals.remove(at: index))
    }
    return central(path)
  }

  /// The central of a device, as BlueZ knows it now.
  func central(_ path: String) -> Central? {
    model.devices.load(path)
    if let known = model.devices[path].flatMap({ Central($0) }) { return known }
    // BlueZ calls before it has announced a device that has just connected.
    let digits = path.split(separator: "/").last?.dropFirst("dev_".count) ?? ""
    return BluetoothAddress(digits.split(separator: "_").joined(separator: ":")).map {
      Central(address: $0, name: nil, path: path)
    }
  }

  // MARK: Reads

  private func read(_ attribute: ServedAttribute, _ call: Message, _ options: RequestOptions) -> LocalAnswer?
  {
    guard let central = sender(options) else {
      return .now(ATTError.unlikelyError.reply(to: call, isRead: true))
    }
    let request = ReadRequest(
      central: central, uuid: attribute.uuid, offset: options.offset, mtu: options.mtu)
    if options.offset > 0, let whole = attribute.longReads[options.devicePath]?.value(at: LoopClock.now) {
      guard options.offset <= whole.count else {
        return .now(refuse(attribute, call, request, .invalidOffset))
      }
      return .now(part(of: whole, attribute, call, options, isSnapshot: true))
    }
    let conclude = { (outcome: Result<[UInt8], ATTError>) -> Message in
      self.conclude(outcome, of: attribute, call, request, options)
    }
    switch attribute.reading {
    case .value: return .now(conclude(.success(attribute.value)))
    case .immediate(let handler):
      return .now(conclude(Result { () throws(ATTError) in try handler(request) }))
    case .deferred(let handler):
      return open(OpenRequest(call, conclude: conclude)) {
        do throws(ATTError) { return .success(try await handler(request)) } catch { return .failure(error) }
      }
    }
  }

  /// Answers the first part of a read.
  private func conclude(
    _ outcome: Result<[UInt8], ATTError>, of attribute: ServedAttribute, _ call: Message,
    _ request: ReadRequest, _ options: RequestOptions
  ) -> Message {
    switch outcome {
    case .success(let bytes):
      let whole = Array(bytes.prefix(LocalCharacteristic.maximumLength))
      guard request.offset <= whole.count else { return refuse(attribute, call, request, .invalidOffset) }
      report(
        .read(attribute.access(by: request.central, at: request.offset, Array(whole[request.offset...]))))
      // What a handler gives for a part in the middle may be valid from there on only.
      return part(of: whole, attribute, call, options, isSnapshot: request.offset == 0)
    case .failure(let error): return refuse(attribute, call, request, error)
    }
  }

  private func refuse(
    _ attribute: ServedAttribute, _ call: Message, _ request: ReadRequest, _ error: ATTError
  ) -> Message {
    report(.refused(attribute.access(by: request.central, at: request.offset, []), error))
    return error.reply(to: call, isRead: true)
  }

  /// The bytes from the offset on: BlueZ cuts them at the MTU, and asks again with a higher offset.
  ///
  /// The whole value is kept while parts of it are to follow, so that all parts belong together.
  private func part(
    of whole: [UInt8], _ attribute: ServedAttribute, _ call: Message, _ options: RequestOptions,
    isSnapshot: Bool
  ) -> Message {
    let isLast = whole.count - options.offset < options.mtu - 1
    attribute.longReads[options.devicePath] =
      isLast || !isSnapshot ? nil : LongRead(whole, at: LoopClock.now)
    return Message(replyTo: call) { $0.bytes(Array(whole[options.offset...])) }
  }

  // MARK: Writes

  private func write(
    _ attribute: ServedAttribute, _ bytes: [UInt8], _ call: Message, _ options: RequestOptions
  ) -> LocalAnswer? {
    guard let central = sender(options) else {
      return .now(ATTError.unlikelyError.reply(to: call, isRead: false))
    }
    // What is prepared is decided when it is written.
    if options.isAuthorization { return .now(Message(replyTo: call)) }
    let request = WriteRequest(
      central: central, uuid: attribute.uuid, value: bytes, offset: options.offset, mtu: options.mtu)
    let conclude = { (outcome: Result<[UInt8], ATTError>) -> Message in
      switch outcome {
      case .success:
        self.report(.wrote(attribute.access(by: central, at: request.offset, bytes)))
        return Message(replyTo: call)
      case .failure(let error):
        self.report(.refused(attribute.access(by: central, at: request.offset, []), error))
        return error.reply(to: call, isRead: false)
      }
    }
    switch attribute.writing {
    case .store:
      return .now(conclude(Result { () throws(ATTError) in try attribute.store(request) }))
    case .immediate(let handler):
      return .now(
        conclude(
          Result { () throws(ATTError) in
            try handler(request)
            return []
          }))
    case .deferred(let handler):
      return open(OpenRequest(call, conclude: conclude)) {
        do throws(ATTError) {
          try await handler(request)
          return .success([])
        } catch {
          return .failure(error)
        }
      }
    }
  }

  // MARK: Asynchronous handlers

  private func open(
    _ request: OpenRequest, _ handler: @escaping @Sendable () async -> Result<[UInt8], ATTError>
  ) -> LocalAnswer {
    let number = nextNumber()
    openRequests[number] = request
    request.timer = loop.schedule(at: LoopClock.now + OpenRequest.time) { [weak self] in
      self?.assumeIsolated { $0.finish(number, .failure(.unlikelyError)) }
    }
    request.task = inBackground { manager in manager.finish(number, await handler()) }
    return .later
  }

  private func finish(_ number: Int, _ outcome: Result<[UInt8], ATTError>) {
    openRequests.removeValue(forKey: number)?.finish(outcome, in: self)
  }
}

extension ServedAttribute {
  /// Stores what was written, at its offset.
  ///
  /// - Returns: nothing, as the answer of a write.
  fileprivate func store(_ request: WriteRequest) throws(ATTError) -> [UInt8] {
    guard request.offset <= value.count else { throw .invalidOffset }
    guard request.offset + request.value.count <= LocalCharacteristic.maximumLength else {
      throw .invalidAttributeValueLength
    }
    value = value.prefix(request.offset) + request.value
    return []
  }
}
