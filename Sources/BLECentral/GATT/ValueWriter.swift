// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Writes many values to one characteristic, in order.
struct ValueWriter {
  let attribute: AttributeSession
  /// The write, for errors.
  let action: BLEError.Action
  /// How long each value may take; nil is without limit.
  let timeout: Duration?

  /// How many WriteValue calls without response may be under way: enough to never wait for the bus, few enough not to
  /// flood bluetoothd, which queues without bound.
  private static let writesAtOnce = 4

  private var device: DeviceSession { attribute.device }
  /// The time for one value, from now on.
  private var operation: Operation { Operation(action, timeout: timeout) }

  func write(
    _ values: [[UInt8]], _ type: WriteType, _ progress: @escaping @Sendable (Int) -> Void,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    var written = 0
    do {
      if type == .withResponse {
        for value in values {
          try await attribute.write(value, type, operation, in: central)
          written += 1
          progress(written)
        }
      } else {
        try await writeWithoutResponse(values, in: central) {
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
  /// bluetoothd queues without bound, and the kernel about 200 packets. Behind so many a request on a slow link would
  /// not be answered in the 30 s that ATT allows.
  private func writeWithoutResponse(
    _ values: [[UInt8]], in central: isolated CentralManager,
    _ progress: (Int) -> Void
  ) async throws(BLEError) {
    let sink =
      values.count > ValueWriter.writesAtOnce
      ? try await acquireWrite(operation, in: central) : nil
    var window = WriteWindow()
    var confirmed = 0
    while confirmed < values.count {
      let some = values[confirmed..<min(confirmed + window.size, values.count)]
      let (start, first) = (LoopClock.now, device.commands.count)
      if let sink {
        try await write(some, to: sink, in: central)
      } else {
        try await pipeline(some, operation, in: central)
      }
      let confirming = Operation(action, timeout: timeout.map { $0 * (some.count + 1) })
      try await WriteConfirmation(device: device).confirm(from: first, confirming, in: central)
      window.confirmed(after: LoopClock.now - start)
      confirmed = some.endIndex
      progress(confirmed)
    }
  }

  // MARK: The socket

  /// The socket of AcquireWrite; nil where BlueZ has none for the characteristic, or it would not pass.
  private func acquireWrite(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> PacketSink? {
    try await device.requireLink(operation, in: central)
    guard central.carriesSockets else { return nil }
    let message = attribute.message("AcquireWrite") { $0.properties([]) }
    while true {
      do {
        let reply = try await central.call(message, for: operation)
        guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else { return nil }
        device.acquired.insert(attribute.path)
        return PacketSink(adopting: descriptor, on: central.loop)
      } catch {
        // WriteValue reports any other error as well.
        if [.timedOut, .cancelled, .disconnected, .serviceUnavailable, .busUnavailable].contains(error.code) {
          throw error
        }
        guard error.isForeignRequest else { return nil }
        if operation.deadline.isOver { throw error }
        try await central.pause(.milliseconds(25), for: operation)
      }
    }
  }

  private func write(
    _ values: ArraySlice<[UInt8]>, to sink: PacketSink, in central: isolated CentralManager
  ) async throws(BLEError) {
    var rest = values
    while !rest.isEmpty {
      let operation = operation
      let outcome = await sink.send(rest, until: operation.deadline.instant)
      let taken = try await count(outcome, operation, in: central)
      device.commands.add(taken)
      rest = rest.dropFirst(taken)
    }
    let draining = operation
    _ = try await count(await sink.drain(until: draining.deadline.instant), draining, in: central)
  }

  /// How many values the socket has accepted.
  private func count(
    _ outcome: PacketSink.Outcome, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Int {
    switch outcome {
    case .taken(let count): return count
    case .closed:
      try await device.requireLink(operation, in: central)
      throw operation.error(.disconnected, DeviceSession.linkWasLost)
    case .cancelled: throw operation.cancelled
    case .timedOut:
      throw operation.error(.timedOut, "BlueZ did not accept the value before the timeout")
    }
  }

  // MARK: Calls

  /// Calls WriteValue without waiting for the reply of the call before: BlueZ executes the calls in order.
  private func pipeline(
    _ values: ArraySlice<[UInt8]>, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    try await device.requireLink(operation, in: central)
    try await attribute.requests.take(
      for: operation, on: central.loop, orFailWith: "requests before it take too long")
    defer { attribute.requests.release() }
    var underWay: [(value: [UInt8], outcome: Promise<Result<Message, DBusError>>)] = []
    var rest = values
    while !rest.isEmpty || !underWay.isEmpty {
      if Task.isCancelled { throw operation.cancelled }
      while underWay.count < ValueWriter.writesAtOnce, let value = rest.popFirst() {
        device.commands.add(1)
        underWay.append((value, begin(value, in: central)))
      }
      let (value, outcome) = underWay.removeFirst()
      do {
        _ = try await outcome.value.get()
      } catch {
        let error = BLEError(error, during: operation.action)
        guard error.isForeignRequest, !operation.deadline.isOver,
          await areRefused(underWay.map(\.outcome), operation.action)
        else {
          throw await FailureExplainer(device, operation).request(failedWith: error, in: central)
        }
        // In order again, as soon as the request of the other program has ended.
        rest = ([value] + underWay.map(\.value) + rest)[...]
        underWay = []
        try await central.pause(.milliseconds(25), for: operation)
      }
    }
  }

  /// Whether all of these calls fail because of another program's request.
  private func areRefused(
    _ outcomes: [Promise<Result<Message, DBusError>>], _ action: BLEError.Action
  ) async -> Bool {
    var areRefused = true
    for outcome in outcomes {
      guard case .failure(let error) = await outcome.value else {
        areRefused = false
        continue
      }
      if !BLEError(error, during: action).isForeignRequest { areRefused = false }
    }
    return areRefused
  }

  private func begin(
    _ value: [UInt8], in central: isolated CentralManager
  ) -> Promise<Result<Message, DBusError>> {
    let message = attribute.message("WriteValue") {
      $0.bytes(value)
      $0.properties([("type", .string("command"))])
    }
    let promise = Promise<Result<Message, DBusError>>()
    // BlueZ answers a command at once: an hour stands for no limit.
    central.client.begin(message, timeout: timeout ?? .seconds(3600)) { promise.fulfil($0) }
    return promise
  }
}
