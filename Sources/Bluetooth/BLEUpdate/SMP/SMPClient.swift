// SPDX-License-Identifier: MIT
public import AsyncIO
package import BLEFormats

/// A client of a device's management by SMP, the protocol of MCUmgr.
///
/// ```swift
/// let client = SMPClient(peripheral)
/// for image in try await client.images() { print(image.slot, image.version ?? "?") }
/// ```
///
/// Requests go over the link that the device has; without one, each request opens one. They are sent one after the other.
public actor SMPClient: LoopActor {
  /// The device.
  public nonisolated let peripheral: Peripheral
  /// The time limit of an answer.
  public nonisolated let answerTime: Duration
  /// The time limit of an answer before which the device may erase its flash.
  public nonisolated let eraseTime: Duration
  package nonisolated var loop: EventLoop { peripheral.central.loop }
  /// The client's executor: the thread that reads the bus.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  private let pairing: UpdatePairing?
  private let turn = AsyncMutex()
  private var session: SMPSession?

  /// Makes a client; nothing is sent before the first request.
  ///
  /// - Parameters:
  ///   - peripheral: the device.
  ///   - answerTime: the time limit of an answer.
  ///   - eraseTime: the time limit of an answer before which the device may erase its flash.
  ///   - pairing: pairs if the device requires it; nil makes that an error.
  public init(
    _ peripheral: Peripheral, answerTime: Duration = .seconds(10), eraseTime: Duration = .seconds(75),
    pairing: UpdatePairing? = nil
  ) {
    (self.peripheral, self.answerTime, self.eraseTime) = (peripheral, answerTime, eraseTime)
    self.pairing = pairing
  }

  // MARK: Any request

  /// Sends a request of any group, and returns the answer.
  ///
  /// - Parameters:
  ///   - group: the number of the group; those from 64 on belong to the maker of the device.
  ///   - command: the number of the command in its group.
  ///   - isWrite: whether the request changes something.
  ///   - payload: the map of the request, in CBOR; none stands for an empty map.
  /// - Returns: the map of the answer, in CBOR.
  /// - Throws: ``UpdateError``: `deviceError` with ``UpdateError/deviceCode`` if the device refuses; `unfit` if the payload is
  ///   no map.
  public func raw(
    group: UInt16, command: UInt8, isWrite: Bool, payload: [UInt8] = []
  ) async throws(UpdateError) -> [UInt8] {
    var map: CBORMap = [:]
    if !payload.isEmpty {
      guard let decoded = try? CBORValue(decoding: payload), let given = decoded.map else {
        throw UpdateError(.unfit, "the payload is no map of CBOR")
      }
      map = given
    }
    return CBORValue.map(try await raw(group: group, command: command, isWrite: isWrite, payload: map))
      .encoded
  }

  /// Sends a request of any group, and returns the answer.
  package func raw(
    group: UInt16, command: UInt8, isWrite: Bool, payload: CBORMap
  ) async throws(UpdateError) -> CBORMap {
    let words = "do command \(command) of group \(group)"
    return try await perform(words) { session in
      try await session.request(
        isWrite ? .write : .read, group: group, command: command, payload, as: words, isRepeatable: !isWrite)
    }
  }

  /// Sends a request; `words` follow "the device refuses to".
  func ask(
    _ operation: SMPMessage.Operation, _ group: UInt16, _ command: UInt8, _ payload: CBORMap = [:],
    to words: String, within limit: Duration? = nil, isRepeatable: Bool = true
  ) async throws(UpdateError) -> CBORMap {
    try await perform(words) { session in
      try await session.request(
        operation, group: group, command: command, payload, as: words, within: limit,
        isRepeatable: isRepeatable)
    }
  }

  // MARK: The link

  /// Runs `body` with a session, in its turn, and makes an error of this library of whatever it throws.
  func perform<Result>(
    _ words: String, _ body: (SMPSession) async throws -> Result
  ) async throws(UpdateError) -> Result {
    guard await turn.take(until: .never, on: loop) else { throw UpdateError(.cancelled, "cancelled") }
    defer { turn.release() }
    do {
      return try await withSession(body)
    } catch {
      // A failed request may leave a packet that is not whole.
      if !(error is SMPFailure) { session = nil }
      throw UpdateError(any: error, words)
    }
  }

  private func withSession<Result>(_ body: (SMPSession) async throws -> Result) async throws -> Result {
    do {
      return try await body(try await openSession())
    } catch let error as BLEError where error.needsPairing {
      guard let pairing else { throw error }
      session = nil
      try await pairing.pairing(with: peripheral)
      return try await body(try await openSession())
    }
  }

  private func openSession() async throws -> SMPSession {
    if let session, await peripheral.hasLink { return session }
    session = nil
    try await pairing?.preparing(for: try await peripheral.info)
    try await peripheral.connect()
    let opened = try await SMPSession.open(
      over: peripheral, answerTime: answerTime, openingTime: answerTime + (pairing?.answerTime ?? .zero))
    session = opened
    return opened
  }

  /// Ends the subscription; the link stays.
  public func finish() { session = nil }
}

extension BLEError {
  /// True if the device would do it for a paired computer.
  var needsPairing: Bool { [.notPaired, .bondLost].contains(code) }
}

extension UpdatePairing {
  /// Pairs with a device; an error says that this failed.
  func pairing(with peripheral: Peripheral) async throws {
    do { try await pair(peripheral) } catch { throw UpdateError(pairing: error) }
  }

  /// Prepares a link; an error says that this failed.
  func preparing(for info: PeripheralInfo) async throws {
    do { try await prepare(info) } catch { throw UpdateError(pairing: error) }
  }
}

extension UpdateError {
  /// Creates the error of a pairing that failed.
  init(pairing error: any Error) {
    if let error = error as? BLEError {
      self.init(error)
    } else if error is CancellationError {
      self.init(.cancelled, "cancelled")
    } else {
      self.init(.needsPairing, "the device requires pairing, which failed: \(error)")
    }
    pairingError = error
  }

  /// Creates the error for whatever was thrown in a request to do something: `echo`.
  init(any error: any Error, _ words: String) {
    switch error {
    case let error as UpdateError: self = error
    case let error as BLEError: self.init(error)
    case let failure as SMPFailure: self = failure.error(of: words)
    case let lack as any LackOfProgress: self = lack.error
    case is CancellationError: self.init(.cancelled, "cancelled")
    default: self.init(.deviceError, "the device cannot \(words): \(error)")
    }
  }

  /// The error of an answer that lacks what was asked for.
  static func malformed(_ words: String) -> UpdateError {
    UpdateError(.deviceError, "the device answers the request to \(words), but not with what was asked for")
  }
}
