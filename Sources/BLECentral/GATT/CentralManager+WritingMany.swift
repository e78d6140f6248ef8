// SPDX-License-Identifier: MIT
internal import DBus

extension CentralManager {
  /// How many WriteValue calls without response may be under way: enough that the bus is never waited for, few enough
  /// that bluetoothd, which queues without bound, is not flooded.
  private static let writesAtOnce = 4

  func write(
    _ values: [[UInt8]], _ target: AttributeTarget, _ type: WriteType, _ timeout: Duration?,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws(BLEError) {
    var written = 0
    do {
      if type == .withResponse || values.count <= CentralManager.writesAtOnce {
        for value in values {
          try await write(value, target, type, Deadline(after: timeout))
          written += 1
          progress(written)
        }
      } else if let sink = try await acquireWrite(target, Deadline(after: timeout)) {
        try await write(values, to: sink, target, timeout) {
          written = $0
          progress($0)
        }
      } else {
        try await pipeline(values, target, timeout) {
          written = $0
          progress($0)
        }
      }
    } catch {
      var error = error
      if written > 0 { error.mayHaveTakenEffect = true }
      throw error
    }
  }

  // MARK: The socket

  /// The socket of AcquireWrite; nil where BlueZ has none for the characteristic.
  private func acquireWrite(
    _ target: AttributeTarget, _ deadline: Deadline
  ) async throws(BLEError) -> PacketSink? {
    try await requireLink(target)
    let message = Message(call: "AcquireWrite", of: target.interface, at: target.path, to: BlueZ.service) {
      $0.properties([])
    }
    do {
      let reply = try await call(message, for: target.operation, until: deadline)
      guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else { return nil }
      return PacketSink(adopting: descriptor, on: loop)
    } catch {
      // Whatever else is wrong, WriteValue will be told it too.
      if [.timedOut, .cancelled, .disconnected, .serviceUnavailable, .busUnavailable].contains(error.code) {
        throw error
      }
      return nil
    }
  }

  private func write(
    _ values: [[UInt8]], to sink: PacketSink, _ target: AttributeTarget, _ timeout: Duration?,
    _ progress: (Int) -> Void
  ) async throws(BLEError) {
    var written = 0
    while written < values.count {
      let outcome = await sink.send(values[written...], until: Deadline(after: timeout).instant)
      written += try await count(outcome, target)
      progress(written)
    }
    _ = try await count(await sink.drain(until: Deadline(after: timeout).instant), target)
  }

  /// How many values the socket took.
  private func count(_ outcome: PacketSink.Outcome, _ target: AttributeTarget) async throws(BLEError) -> Int {
    switch outcome {
    case .taken(let count): return count
    case .closed:
      try await requireLink(target)
      throw BLEError(.disconnected, operation: target.operation, message: CentralManager.linkWasLost)
    case .cancelled: throw BLEError(.cancelled, operation: target.operation, message: "cancelled")
    case .timedOut:
      throw BLEError(
        .timedOut, operation: target.operation, message: "BlueZ did not take the value in the time given")
    }
  }

  // MARK: Calls

  /// Calls WriteValue without waiting for the reply of the call before: BlueZ does them in the order in which they came.
  private func pipeline(
    _ values: [[UInt8]], _ target: AttributeTarget, _ timeout: Duration?, _ progress: (Int) -> Void
  ) async throws(BLEError) {
    try await requireLink(target)
    let queue = requestQueues[target.path] ?? SerialQueue()
    requestQueues[target.path] = queue
    guard await queue.take(until: Deadline(after: timeout), on: loop) else {
      throw BLEError(.timedOut, operation: target.operation, message: "requests before it take too long")
    }
    defer { queue.release() }
    var underWay: [Promise<Result<Message, DBusError>>] = []
    var written = 0
    var rest = values[...]
    while !rest.isEmpty || !underWay.isEmpty {
      if Task.isCancelled { throw BLEError(.cancelled, operation: target.operation, message: "cancelled") }
      while underWay.count < CentralManager.writesAtOnce, let value = rest.popFirst() {
        underWay.append(begin(value, target, timeout))
      }
      do {
        _ = try await underWay.removeFirst().value.get()
      } catch {
        throw await explain(BLEError(error, operation: target.operation), target)
      }
      written += 1
      progress(written)
    }
  }

  private func begin(
    _ value: [UInt8], _ target: AttributeTarget, _ timeout: Duration?
  ) -> Promise<Result<Message, DBusError>> {
    let message = Message(call: "WriteValue", of: target.interface, at: target.path, to: BlueZ.service) {
      $0.bytes(value)
      $0.properties([("type", .string("command"))])
    }
    let promise = Promise<Result<Message, DBusError>>()
    // BlueZ answers a command at once, so that a limit that is far away is none.
    connection.assumeIsolated { connection in
      connection.begin(message, timeout: timeout ?? .seconds(3600)) { promise.fulfil($0) }
    }
    return promise
  }
}
