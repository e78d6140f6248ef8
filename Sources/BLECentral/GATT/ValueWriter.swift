// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Writes many values to one characteristic, in order.
struct ValueWriter {
  let attribute: AttributeSession
  let action: BLEError.Action
  /// How long each value may take; nil sets no limit.
  let timeout: Duration?

  /// How many WriteValue calls may be under way: enough to keep the bus busy, few enough for bluetoothd's
  /// queue.
  private static let writesAtOnce = 4

  private var device: DeviceSession { attribute.device }
  /// One value's operation, whose time starts now.
  private var operation: Operation { Operation(action, timeout: timeout) }

  func write(
    _ values: [[UInt8]], _ type: WriteType, _ progress: @escaping @Sendable (Int) -> Void,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    var written = 0
    // How many values BlueZ has taken, whether or not they have arrived.
    var taken = 0
    do {
      if type == .withResponse {
        for value in values {
          try await attribute.write(value, type, operation, in: central)
          written += 1
          progress(written)
        }
      } else {
        try await writeWithoutResponse(values, &taken, in: central) {
          written = $0
          progress($0)
        }
      }
    } catch {
      var error = error
      if max(written, taken) > 0 { error.mayHaveTakenEffect = true }
      throw error
    }
  }

  /// Writes in windows; the device confirms each window before the next begins.
  ///
  /// bluetoothd's queue is unlimited, and the kernel's holds about 200 packets. On a slow link, a request
  /// behind that many would not be answered within the 30 s that ATT allows.
  private func writeWithoutResponse(
    _ values: [[UInt8]], _ taken: inout Int, in central: isolated CentralManager,
    _ progress: (Int) -> Void
  ) async throws(BLEError) {
    let sink =
      values.count > ValueWriter.writesAtOnce
      ? try await acquireWrite(operation, in: central) : nil
    var confirmed = 0
    while confirmed < values.count {
      let some = values[confirmed..<min(confirmed + attribute.writeWindow.size, values.count)]
      let (start, first) = (LoopClock.now, device.commands.count)
      if let sink {
        try await write(some, &taken, to: sink, in: central)
      } else {
        try await pipeline(some, &taken, operation, in: central)
      }
      let confirming = Operation(action, timeout: timeout.map { $0 * (some.count + 1) })
      try await WriteConfirmation(device: device).confirm(from: first, confirming, in: central)
      attribute.writeWindow.confirmed(some.count, after: LoopClock.now - start)
      confirmed = some.endIndex
      progress(confirmed)
    }
  }

  // MARK: The socket

  /// Returns the socket of AcquireWrite; nil if BlueZ has none, or the bus cannot pass it.
  private func acquireWrite(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> PacketSink? {
    try await central.requireLink(of: device, operation)
    guard central.carriesSockets else { return nil }
    let message = attribute.message("AcquireWrite") { $0.properties([]) }
    while true {
      do {
        let reply = try await central.client.call(message, for: operation)
        guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else { return nil }
        device.acquired.insert(attribute.path)
        return PacketSink(adopting: descriptor, on: central.loop)
      } catch {
        // WriteValue reports all other errors as well.
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
    _ values: ArraySlice<[UInt8]>, _ taken: inout Int, to sink: PacketSink,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    var rest = values
    while !rest.isEmpty {
      let operation = operation
      let outcome = await sink.send(rest, until: operation.deadline.instant)
      let accepted = try await count(outcome, operation, in: central)
      taken += accepted
      device.commands.add(accepted)
      rest = rest.dropFirst(accepted)
    }
    let draining = operation
    _ = try await count(await sink.drain(until: draining.deadline.instant), draining, in: central)
  }

  private func count(
    _ outcome: PacketSink.Outcome, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Int {
    switch outcome {
    case .taken(let count): return count
    case .closed:
      try await device.requireLink(operation, in: central)
      throw device.loss(during: operation.action, in: central)
    case .cancelled: throw operation.cancelled
    case .timedOut:
      throw operation.error(.timedOut, "BlueZ did not accept the value before the timeout")
    }
  }

  // MARK: Calls

  /// Calls WriteValue without waiting for the previous reply: BlueZ executes the calls in order.
  private func pipeline(
    _ values: ArraySlice<[UInt8]>, _ taken: inout Int, _ operation: Operation,
    in central: isolated CentralManager
  ) async throws(BLEError) {
    try await central.requireLink(of: device, operation)
    try await attribute.requests.take(
      for: operation, on: central.loop, orFailWith: "requests before it take too long")
    defer { attribute.requests.release() }
    var underWay: [(value: [UInt8], outcome: Promise<Result<Message, DBusError>>)] = []
    var rest = values
    while !rest.isEmpty || !underWay.isEmpty {
      if Task.isCancelled {
        taken += underWay.count
        throw operation.cancelled
      }
      while underWay.count < ValueWriter.writesAtOnce, let value = rest.popFirst() {
        device.commands.add(1)
        underWay.append((value, begin(value, in: central)))
      }
      let (value, outcome) = underWay.removeFirst()
      do {
        _ = try await outcome.value.get()
        taken += 1
      } catch {
        let error = BLEError(error, during: operation.action)
        guard error.isForeignRequest, !operation.deadline.isOver,
          await areRefused(underWay.map(\.outcome), operation.action)
        else {
          for (_, other) in underWay { if case .success = await other.value { taken += 1 } }
          throw await FailureExplainer(device, operation).request(failedWith: error, in: central)
        }
        // In order again, once the other program's request has ended.
        rest = ([value] + underWay.map(\.value) + rest)[...]
        underWay = []
        try await central.pause(.milliseconds(25), for: operation)
      }
    }
  }

  /// Whether all of these calls failed because of another program's request.
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
    // BlueZ answers a command at once: an hour is as good as no limit.
    central.client.begin(message, timeout: timeout ?? .seconds(3600)) { promise.fulfil($0) }
    return promise
  }
}
