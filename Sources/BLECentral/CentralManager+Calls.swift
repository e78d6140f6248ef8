// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The building blocks of every operation: calls, waits and pauses.
extension CentralManager {
  /// Waits until `condition` returns a result; evaluates it now and at every change of the model.
  ///
  /// - Returns: nil when the deadline came first.
  /// - Throws: the error of the condition; the outage, when the service or the bus goes away; `cancelled`.
  func wait<Value: Sendable>(
    for operation: Operation, _ condition: @escaping (ObjectModel) -> Result<Value, BLEError>?
  ) async throws(BLEError) -> Value? {
    let wait = Wait<Result<Value, BLEError>>()
    let number = conditions.add(now: model, outage) { model, outage in
      let result = outage.map { .failure($0.during(operation.action)) } ?? condition(model)
      if let result { wait.fulfil(result) }
      return result != nil
    }
    defer { if let number { conditions.remove(number) } }
    return try await wait.value(for: operation, on: loop)?.get()
  }

  func perform<Result: Sendable>(
    _ body: @Sendable (isolated CentralManager) async -> Result
  ) async -> Result {
    await body(self)
  }

  /// Runs an operation; if its time is over because bluetoothd answers nothing, the error says so.
  func perform<Result: Sendable>(
    _ body: @Sendable (isolated CentralManager) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    do throws(BLEError) {
      return try await body(self)
    } catch {
      throw await client.explained(error)
    }
  }

  /// Runs an operation with the session of an attribute; see ``perform(_:)``.
  func perform<Result: Sendable>(
    on target: AttributeTarget,
    _ body: @Sendable (AttributeSession, isolated CentralManager) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    let device = sessions.device(target.devicePath)
    let attribute = sessions.attribute(target.path, target.interface, of: device)
    do throws(BLEError) {
      return try await body(attribute, self)
    } catch {
      throw await client.explained(error)
    }
  }

  /// How long the replacement of a stalled link may take that no operation limits.
  static let timeToReplace = Duration.seconds(20)

  /// Requires that the device has a link that carries requests; replaces one that stalled because a request
  /// requires pairing.
  ///
  /// - Throws: ``BLEError``: `disconnected` …; `notPaired` if others use the stalled link.
  func requireLink(of device: DeviceSession, _ operation: Operation) async throws(BLEError) {
    guard device.requests.isStalled, outage == nil else {
      return try await device.requireLink(operation, in: self)
    }
    device.renewals += 1
    defer {
      device.renewals -= 1
      conditions.look(at: model, outage: outage)
    }
    _ = try await LinkOpener(device: device, operation: operation).connect(in: self)
  }

  /// Runs `body` in a task that is not cancelled with the caller's.
  @discardableResult
  func inBackground(_ body: @escaping @Sendable (isolated CentralManager) async -> Void) -> Task<Void, Never>
  {
    Task(executorPreference: loop) { await body(self) }
  }

  /// Suspends the task, at most until the deadline.
  func pause(_ duration: Duration, for operation: Operation) async throws(BLEError) {
    _ = try await Wait<Never>().value(for: operation.within(duration), on: loop)
  }

  /// How long to wait for a reply after the caller gave up: BlueZ gives up after 30 s, its agent after 60 s.
  static let lateReplyTime = Duration.seconds(100)

  /// Calls BlueZ; `observer` gets the outcome in order with the signals, even after the caller gave up.
  @discardableResult
  func callUntilAnswered(
    _ message: Message, for operation: Operation,
    observer: @escaping @Sendable (isolated CentralManager, Result<Message, DBusError>) -> Void
  ) async throws(BLEError) -> Message {
    let wait = Wait<Result<Message, BLEError>>()
    let limit = operation.deadline.remaining.map { $0 + CentralManager.lateReplyTime }
    client.begin(message, timeout: limit) { [weak self] outcome in
      guard let self else { return wait.fulfil(.failure(operation.cancelled)) }
      assumeIsolated { observer($0, outcome) }
      wait.fulfil(outcome.mapError { self.client.reason(of: $0, for: operation.action) })
    }
    if let reply = try await wait.value(for: operation, on: loop) { return try reply.get() }
    throw operation.error(.timedOut, "no answer before the timeout")
  }

  /// Asks BlueZ for a property; everything that BlueZ has sent before has arrived when the answer does.
  @discardableResult
  func property(
    _ property: String, of interface: String, at path: String, _ operation: Operation
  ) async throws(BLEError) -> DBusValue? {
    try await client.call(BlueZ.call(toGet: property, of: interface, at: path), for: operation)
      .values.first?.unwrapped
  }

  /// Does something once BlueZ has reported why a link or an adapter was lost: it was switched off, or
  /// bluetoothd ended.
  ///
  /// Keeps the manager until then, because readers wait for the end of their sequences.
  func whenReasonIsKnown(_ body: @escaping @Sendable (isolated CentralManager) -> Void) {
    _ = loop.schedule(at: LoopClock.now + DeviceSession.reasonTime) {
      // After everything that bluetoothd sent so far: a busy machine may not have read it yet.
      self.assumeIsolated { central in
        central.client.begin(BlueZ.ping, timeout: .seconds(1)) { _ in central.assumeIsolated { body($0) } }
      }
    }
  }
}
