// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

extension LocalDatabase {
  private static let maximumLength = AttributeServer.maximumLength

  // MARK: Reads

  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) { read(handle, offset: offset, isWhole: true, over: link, then: answer) }

  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) { read(handle, offset: offset, isWhole: false, over: link, then: answer) }

  private func read(
    _ handle: UInt16, offset: Int, isWhole: Bool, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) {
    switch source(of: handle) {
    case nil: answer(.failure(.invalidHandle))
    case .daemon(let value): answer(LocalDatabase.part(of: value(), from: offset))
    case .configuration(let attribute):
      let value = attribute?.configuration(of: link) ?? 0
      answer(LocalDatabase.part(of: [value, 0], from: offset))
    case .application(let attribute):
      guard attribute.flags.canRead else { return answer(.failure(.readNotPermitted)) }
      if let refusal = link.security.refusal(attribute.flags.readSecurity) {
        return answer(.failure(refusal))
      }
      readPart(of: attribute, from: offset, behind: isWhole ? [] : nil, over: link, then: answer)
    }
  }

  private static func part(of value: [UInt8], from offset: Int) -> Result<[UInt8], ATTErrorCode> {
    offset > value.count ? .failure(.invalidOffset) : .success(Array(value[offset...]))
  }

  /// Reads a part with Read or Read Blob; reads the next one if the part fills the response.
  ///
  /// `known` is the value so far; nil if only one part is wanted.
  private func readPart(
    of attribute: ApplicationAttribute, from offset: Int, behind known: [UInt8]?,
    over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) {
    let message = attribute.message("ReadValue") {
      $0.properties(options(of: link, offset: offset))
    }
    ask(message, over: link) { [weak self] outcome in
      guard let self else { return }
      let bytes: [UInt8]
      switch LocalDatabase.bytes(outcome) {
      case .success(let all): bytes = all
      case .failure(let error): return answer(.failure(error))
      }
      let room = min(Int(link.mtu) - 1, LocalDatabase.maximumLength)
      let value = (known ?? []) + bytes.prefix(room)
      guard known != nil, bytes.count >= room, offset + room < LocalDatabase.maximumLength else {
        return answer(.success(Array(value.prefix(LocalDatabase.maximumLength))))
      }
      readPart(of: attribute, from: offset + room, behind: value, over: link, then: answer)
    }
  }

  private static func bytes(_ outcome: Result<Message, DBusError>) -> Result<[UInt8], ATTErrorCode> {
    switch outcome {
    case .success(let reply):
      guard case .bytes(let bytes) = reply.values.first else { return .failure(.requestNotSupported) }
      return .success(bytes)
    case .failure(let error): return .failure(ATTErrorCode(error, isRead: true))
    }
  }

  private func options(of link: any PeripheralLink, offset: Int = 0) -> [(String, DBusValue)] {
    let options: [(String, DBusValue)] = [
      ("device", .objectPath(path(of: link))), ("link", .string("LE")), ("mtu", .uint16(link.mtu)),
    ]
    return offset == 0 ? options : options + [("offset", .uint16(UInt16(offset)))]
  }

  // MARK: Writes

  /// Writes a value; in 5.66, the handle's two bytes count towards its 512 unless it is written in parts.
  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) {
    switch source(of: handle) {
    case nil: answer(.failure(.invalidHandle))
    case .daemon: answer(.failure(.writeNotPermitted))
    case .configuration(let attribute): answer(configure(attribute, bytes, for: link))
    case .application(let attribute):
      if let refusal = refusalToWrite(attribute, over: link) { return answer(.failure(refusal)) }
      let isPrepared = offset > 0 || bytes.count > Int(link.mtu) - 3
      let header = isPrepared ? 0 : daemon.behaviour.unpreparedWriteOverhead
      guard offset + bytes.count <= LocalDatabase.maximumLength - header else {
        return answer(.failure(.invalidLength))
      }
      guard isPrepared, attribute.flags.isAuthorized else {
        return pass(bytes, at: offset, to: attribute, isPrepared: isPrepared, over: link, then: answer)
      }
      askForPermission(attribute, over: link) { [weak self] outcome in
        guard case .success = outcome else { return answer(outcome) }
        self?.pass(bytes, at: offset, to: attribute, isPrepared: true, over: link, then: answer)
      }
    }
  }

  func refusalToWrite(_ attribute: ApplicationAttribute, over link: any PeripheralLink) -> ATTErrorCode? {
    guard attribute.flags.canWrite else { return .writeNotPermitted }
    return link.security.refusal(attribute.flags.writeSecurity)
  }

  /// Asks the client whether a write may be prepared, without passing on its bytes.
  func askForPermission(
    _ attribute: ApplicationAttribute, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) {
    let options = options(of: link) + [("prepare-authorize", .boolean(true))]
    let message = attribute.message("WriteValue") {
      $0.bytes([])
      $0.properties(options)
    }
    ask(message, over: link) { outcome in
      switch outcome {
      case .success: answer(.success([]))
      case .failure(let error): answer(.failure(ATTErrorCode(error, isRead: false)))
      }
    }
  }

  func pass(
    _ bytes: [UInt8], at offset: Int, to attribute: ApplicationAttribute, isPrepared: Bool,
    over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) {
    let options = options(of: link, offset: offset)
    let message = attribute.message("WriteValue") {
      $0.bytes(bytes)
      $0.properties(options)
    }
    // The daemon does not wait if a write may come without a response.
    if attribute.flags.properties.contains(.writeWithoutResponse), !isPrepared {
      message.expectNoReply()
      daemon.tree.send(message)
      return answer(.success([]))
    }
    ask(message, over: link) { outcome in
      switch outcome {
      case .success: answer(.success([]))
      case .failure(let error): answer(.failure(ATTErrorCode(error, isRead: false)))
      }
    }
  }

  // MARK: Client configurations

  private func configure(
    _ attribute: ApplicationAttribute?, _ bytes: [UInt8], for link: any PeripheralLink
  ) -> Result<[UInt8], ATTErrorCode> {
    guard (1...2).contains(bytes.count) else { return .failure(.invalidLength) }
    guard let attribute else { return .success([]) }  // of the daemon's Service Changed
    let properties = attribute.flags.properties
    switch bytes[0] {
    case 0: break
    case 1 where properties.contains(.notify): break
    case 2 where properties.contains(.indicate): break
    default: return .failure(.improperlyConfigured)
    }
    if let refusal = link.security.refusal(attribute.flags.subscribeSecurity) { return .failure(refusal) }
    configure(attribute, bytes[0], for: link)
    return .success([])
  }
}

/// Prepared writes, which bluetoothd collects and passes on when they are executed.
extension LocalDatabase {
  /// A contiguous part of a value.
  struct PreparedRun {
    let handle: UInt16
    let attribute: ApplicationAttribute
    let offset: Int
    var bytes: [UInt8]
  }

  /// The number of runs that bluetoothd keeps for a link.
  private static let runLimit = 30

  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) {
    guard let source = source(of: handle) else { return answer(.failure(.invalidHandle)) }
    guard case .application(let attribute) = source else { return answer(.failure(.writeNotPermitted)) }
    if let refusal = refusalToWrite(attribute, over: link) { return answer(.failure(refusal)) }
    guard offset + bytes.count <= AttributeServer.maximumLength else {
      return answer(.failure(.invalidLength))
    }
    let run = PreparedRun(handle: handle, attribute: attribute, offset: offset, bytes: bytes)
    guard attribute.flags.isAuthorized else { return answer(keep(run, of: link)) }
    askForPermission(attribute, over: link) { [weak self] outcome in
      guard let self else { return }
      answer(outcome.flatMap { _ in self.keep(run, of: link) })
    }
  }

  /// Appends to the last run, or starts another.
  private func keep(_ run: PreparedRun, of link: any PeripheralLink) -> Result<[UInt8], ATTErrorCode> {
    var runs = preparedRuns[ObjectIdentifier(link)] ?? []
    if let last = runs.last, last.handle == run.handle, last.offset + last.bytes.count == run.offset {
      runs[runs.count - 1].bytes += run.bytes
    } else if runs.count == LocalDatabase.runLimit {
      return .failure(.prepareQueueFull)
    } else {
      runs.append(run)
    }
    preparedRuns[ObjectIdentifier(link)] = runs
    return .success([])
  }

  /// Passes on what was prepared, or discards it.
  ///
  /// Several runs require `reliable-write` on each characteristic. They are passed on one after another; an
  /// error stops that, but what was passed on before stays written.
  func execute(over link: any PeripheralLink, isWritten: Bool, then answer: @escaping ATTAnswer) {
    let runs = preparedRuns.removeValue(forKey: ObjectIdentifier(link)) ?? []
    guard isWritten else { return answer(.success([])) }
    guard runs.count <= 1 || runs.allSatisfy(\.attribute.flags.isReliable) else {
      return answer(.failure(.requestNotSupported))
    }
    pass(runs[...], over: link, then: answer)
  }

  private func pass(
    _ runs: ArraySlice<PreparedRun>, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) {
    guard let run = runs.first else { return answer(.success([])) }
    pass(run.bytes, at: run.offset, to: run.attribute, isPrepared: true, over: link) { [weak self] outcome in
      guard let self, case .success = outcome else { return answer(outcome) }
      pass(runs.dropFirst(), over: link, then: answer)
    }
  }
}
