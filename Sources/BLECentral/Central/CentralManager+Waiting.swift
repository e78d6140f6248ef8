// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension CentralManager {
  /// Waits until `condition` gives something; it is asked now and at every change of the object tree.
  ///
  /// - Returns: nil when the deadline came first.
  /// - Throws: what the condition gave; the outage, when the service or the bus goes; `.cancelled`.
  func wait<Value: Sendable>(
    for operation: String, until deadline: Deadline,
    _ condition: @escaping (ObjectModel) -> Result<Value, BLEError>?
  ) async throws(BLEError) -> Value? {
    let promise = Promise<Conditions.Outcome<Value>>()
    let check: (ObjectModel, BLEError?) -> Bool = { model, outage in
      if var outage {
        outage.operation = operation
        promise.fulfil(.met(.failure(outage)))
        return true
      }
      guard let result = condition(model) else { return false }
      promise.fulfil(.met(result))
      return true
    }
    if !check(model, outage) {
      let number = conditions.add(check)
      let timer = deadline.instant.map { loop.schedule(at: $0) { promise.fulfil(.timedOut) } }
      defer {
        conditions.remove(number)
        if let timer { loop.cancel(timer) }
      }
      return try await outcome(of: promise, operation)
    }
    return try await outcome(of: promise, operation)
  }

  /// How a wait ended; nil when its time was over.
  func outcome<Value: Sendable>(
    of promise: Promise<Conditions.Outcome<Value>>, _ operation: String
  ) async throws(BLEError) -> Value? {
    let outcome = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(.cancelled)
    }
    switch outcome {
    case .met(.success(let value)): return value
    case .met(.failure(let error)): throw error
    case .timedOut: return nil
    case .cancelled: throw BLEError(.cancelled, operation: operation, message: "cancelled")
    }
  }

  /// Lets time pass, no longer than the deadline allows.
  func pause(_ duration: Duration, until deadline: Deadline, for operation: String) async throws(BLEError) {
    let duration = deadline.remaining.map { min($0, duration) } ?? duration
    do {
      try await loop.sleep(for: duration)
    } catch {
      throw BLEError(.cancelled, operation: operation, message: "cancelled")
    }
  }

  /// Calls BlueZ, with its errors understood; over the connection of everything, or another one.
  @discardableResult
  func call(
    _ message: Message, for operation: String, until deadline: Deadline, over other: Connection? = nil,
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) -> Message {
    do {
      return try await (other ?? connection).call(message, timeout: deadline.remaining, observer: observer)
    } catch {
      throw reason(of: error, for: operation)
    }
  }

  /// Why a call has failed.
  func reason(of error: DBusError, for operation: String) -> BLEError {
    // Whatever the bus says of a call to a service that has gone: that it has gone is the reason.
    if error.origin == .reply || error.origin == .abandoned, let outage {
      return BLEError(outage.code, operation: operation, message: outage.message, dbusName: error.name)
    }
    if error.origin == .abandoned {  // unplugged: that is the reason
      do throws(BLEError) {
        _ = try knownAdapter(for: operation)
      } catch {
        return error
      }
    }
    return BLEError(error, operation: operation)
  }
}
