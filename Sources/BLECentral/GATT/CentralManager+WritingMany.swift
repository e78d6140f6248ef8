// SPDX-License-Identifier: MIT
internal import AsyncIO
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
      if type == .withResponse {
        for value in values {
          try await write(value, target, type, Deadline(after: timeout))
          written += 1
          progress(written)
        }
      } else {
        try await writeWithoutResponse(values, target, timeout) {
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

  /// Writes in windows, each of which the device confirms before the next begins.
  ///
  /// bluetoothd queues without bound, and the kernel about 200 packets: behind those a request would not be answered in
  /// the 30 s that ATT allows on a slow link.
  private func writeWithoutResponse(
    _ values: [[UInt8]], _ target: AttributeTarget, _ timeout: Duration?, _ progress: (Int) -> Void
  ) async throws(BLEError) {
    let link = link(to: target.devicePath)
    let sink =
      values.count > CentralManager.writesAtOnce
      ? try await acquireWrite(target, Deadline(after: timeout)) : nil
    link.settleCommands()
    var window = WriteWindow()
    var confirmed = 0
    while confirmed < values.count {
      let some = values[confirmed..<min(confirmed + window.size, values.count)]
      let start = LoopClock.now
      if let sink {
        try await write(some, to: sink, target, link, timeout)
      } else {
        try await pipeline(some, target, link, timeout)
      }
      let deadline = Deadline(after: timeout.map { $0 * (some.count + 1) })
      try await confirmCommands(over: link, target.operation, deadline)
      window.confirmed(after: LoopClock.now - start)
      confirmed = some.endIndex
      progress(confirmed)
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
    while true {
      do {
        let reply = try await call(message, for: target.operation, until: deadline)
        guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else { return nil }
        link(to: target.devicePath).acquired.insert(target.path)
        return PacketSink(adopting: descriptor, on: loop)
      } catch {
        // Whatever else is wrong, WriteValue reports it too.
        if [.timedOut, .cancelled, .disconnected, .serviceUnavailable, .busUnavailable].contains(error.code) {
          throw error
        }
        guard error.isForeignRequest else { return nil }
        if deadline.isOver { throw error }
        try await pause(.milliseconds(25), until: deadline, for: target.operation)
      }
    }
  }

  private func write(
    _ values: ArraySlice<[UInt8]>, to sink: PacketSink, _ target: AttributeTarget, _ link: DeviceLink,
    _ timeout: Duration?
  ) async throws(BLEError) {
    var rest = values
    while !rest.isEmpty {
      let outcome = await sink.send(rest, until: Deadline(after: timeout).instant)
      let taken = try await count(outcome, target)
      link.handedOver(taken)
      rest = rest.dropFirst(taken)
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
    _ values: ArraySlice<[UInt8]>, _ target: AttributeTarget, _ link: DeviceLink, _ timeout: Duration?
  ) async throws(BLEError) {
    try await requireLink(target)
    let queue = requestQueues[target.path] ?? SerialQueue()
    requestQueues[target.path] = queue
    guard await queue.take(until: Deadline(after: timeout), on: loop) else {
      throw BLEError(.timedOut, operation: target.operation, message: "requests before it take too long")
    }
    defer { queue.release() }
    var underWay: [Promise<Result<Message, DBusError>>] = []
    var rest = values
    while !rest.isEmpty || !underWay.isEmpty {
      if Task.isCancelled { throw BLEError(.cancelled, operation: target.operation, message: "cancelled") }
      while underWay.count < CentralManager.writesAtOnce, let value = rest.popFirst() {
        link.handedOver(1)
        underWay.append(begin(value, target, timeout))
      }
      do {
        _ = try await underWay.removeFirst().value.get()
      } catch {
        throw await explain(BLEError(error, operation: target.operation), target)
      }
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

/// How many writes without response are sent before the device confirms them.
///
/// Few at first, then as many as the link carries in about a second: waiting for the confirmation costs little then. With
/// 128 at most, ATT's 30 s last also where the link becomes slow of a sudden: 200 ms for each packet.
struct WriteWindow {
  private(set) var size = 16

  private static let sizes = 4...128

  /// Takes in how long a whole window took to be confirmed.
  mutating func confirmed(after time: Duration) {
    if time < .milliseconds(500) { size = min(size * 2, WriteWindow.sizes.upperBound) }
    if time > .seconds(3) { size = max(size / 2, WriteWindow.sizes.lowerBound) }
  }
}
