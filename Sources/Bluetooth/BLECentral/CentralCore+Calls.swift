// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The building blocks of every operation: calls, waits and pauses.
extension CentralCore {
  /// Waits until `condition` returns a result; evaluates it now and at every change of the model.
  ///
  /// - Returns: nil when the deadline came first.
  /// - Throws: the error of the condition; the outage, when the service or the bus goes away; `cancelled`.
  func wait<Value: Sendable>(
    for operation: Operation, _ condition: @escaping (ObjectModel) -> Result<Value, BLEError>?
  ) async throws(BLEError) -> Value? {
    let wait = Promise<Result<Value, BLEError>>()
    let number = conditions.add(now: client.model, outage) { model, outage in
      let result = outage.map { .failure($0.during(operation.action)) } ?? condition(model)
      if let result { wait.fulfil(result) }
      return result != nil
    }
    defer { if let number { conditions.remove(number) } }
    return try await wait.value(for: operation, on: loop)?.get()
  }

  /// The time limit for the replacement of a stalled link if no operation sets one.
  static let timeToReplace = Duration.seconds(20)

  /// Requires that the device has a link that carries requests; replaces one that stalled because a request
  /// requires pairing.
  ///
  /// - Throws: ``BLEError``: `disconnected` …; `notPaired` if others use the stalled link.
  func requireLink(of device: DeviceSession, _ operation: Operation) async throws(BLEError) {
    guard device.requests.isStalled, outage == nil else {
      return try await device.requireLink(operation)
    }
    device.renewals += 1
    defer {
      device.renewals -= 1
      evaluateConditions()
    }
    _ = try await LinkOpener(device: device, operation: operation).connect()
  }

  /// Runs `body` in a task that is not cancelled with the caller's, and keeps the manager.
  @discardableResult
  func inBackground<Value: Sendable>(_ body: @escaping () async -> Value) -> Task<Value, Never> {
    loop.spawn { [self, manager] in
      let value = await body()
      return withExtendedLifetime((self, manager)) { value }
    }
  }

  /// Suspends the task, at most until the deadline.
  func pause(_ duration: Duration, for operation: Operation) async throws(BLEError) {
    _ = try await Promise<Never>().value(for: operation.within(duration), on: loop)
  }

  /// The time to wait for a reply after the caller gave up.
  ///
  /// BlueZ gives up after 30 s, its agent after 60 s.
  static let lateReplyTime = Duration.seconds(100)

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
  func whenReasonIsKnown(_ body: @escaping () -> Void) {
    _ = loop.schedule(at: LoopClock.now + DeviceSession.reasonTime) { [self, manager] in
      // After everything that bluetoothd sent so far: a busy machine may not have read it yet.
      let answered = loop.confined { (_: Result<Message, DBusError>) in
        withExtendedLifetime(manager) { body() }
      }
      client.begin(BlueZ.ping, timeout: .seconds(1), observer: answered)
    }
  }
}
