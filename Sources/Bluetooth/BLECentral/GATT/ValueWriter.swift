// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Writes values to one characteristic, in order, as a source provides them.
struct ValueWriter {
  let attribute: AttributeSession
  let action: BLEError.Action
  /// The time limit for each value; nil sets no limit.
  let timeout: Duration?

  /// The maximum number of concurrent WriteValue calls: enough to keep the bus busy, few enough for
  /// bluetoothd's queue.
  private static let writesAtOnce = 4

  /// The interval at which bluetoothd is asked for a sign of life while values are in flight.
  private static let watchPause = Duration.seconds(1)

  private var core: CentralCore { device.core }
  private var device: DeviceSession { attribute.device }
  /// One value's operation, whose time starts now.
  private var operation: Operation { Operation(action, timeout: timeout) }

  // MARK: With a response

  /// Writes the next value when the device has confirmed the one before; `progress` gets how many it has.
  func writeConfirmed(
    _ source: some WriteSource, _ progress: @escaping @Sendable (Int) -> Void
  ) async throws(BLEError) {
    var written = 0
    while let values = source.next(1) {
      if Task.isCancelled { throw operation.cancelled }
      if values.isEmpty { await source.waitForNext() }
      for value in values {
        do throws(BLEError) {
          try await attribute.request(.write(value, .withResponse), operation)
        } catch {
          if error.mayHaveTakenEffect { source.taken(1) }
          throw error
        }
        source.taken(1)
        written += 1
        progress(written)
      }
    }
  }

  // MARK: Without a response

  /// Sends the values, as many as may wait for the device's confirmation; then waits until the task is cancelled.
  ///
  /// bluetoothd's queue is unlimited, and the kernel's holds about 200 packets. On a slow link, a request
  /// behind that many would not be answered within the 30 s that ATT allows.
  func send(
    _ source: some WriteSource, _ unconfirmed: UnconfirmedWrites
  ) async throws(BLEError) {
    var sink: PacketSink?
    var isAcquirable = true
    while await unconfirmed.waitForRoom(upTo: attribute.writeWindow.size) {
      guard let values = source.next(unconfirmed.room(upTo: attribute.writeWindow.size)) else {
        unconfirmed.end()
        await Promise<Void>().value(ifCancelled: ())
        break
      }
      if values.isEmpty {
        // Other programs may write meanwhile.
        sink = nil
        await source.waitForNext()
        continue
      }
      if sink == nil, isAcquirable, values.count > ValueWriter.writesAtOnce {
        sink = try await acquireWrite(operation)
        isAcquirable = sink != nil
      }
      let (start, first) = (LoopClock.now, device.commands.count)
      if let sink {
        try await write(values[...], to: sink) { source.taken($0) }
      } else {
        try await pipeline(values[...], operation) { source.taken($0) }
      }
      unconfirmed.add(values.count, first..<device.commands.count, at: start)
    }
    throw operation.cancelled
  }

  /// Lets the device confirm what is on its way, again and again until everything is; `progress` gets how many
  /// values certainly arrived.
  func confirm(
    _ unconfirmed: UnconfirmedWrites, _ progress: @escaping @Sendable (Int) -> Void
  ) async throws(BLEError) {
    while let sent = await unconfirmed.next() {
      let confirming = Operation(action, timeout: timeout.map { $0 * (sent.count + 1) })
      try await WriteConfirmation(device: device) {
        // BlueZ answers this after it has taken the request, which is sent before.
        core.inBackground {
          core.client.begin(BlueZ.ping, timeout: .seconds(1)) { _ in unconfirmed.asked() }
        }
      }.confirm(of: sent.commands, confirming)
      attribute.writeWindow.confirmed(sent.count, after: LoopClock.now - sent.start)
      progress(unconfirmed.confirmed(sent))
    }
    if Task.isCancelled { throw operation.cancelled }
  }

  /// Asks BlueZ again and again while values are on their way: a device may take as long as all of them are permitted,
  /// but bluetoothd answers each call within the time of one; returns when the task is cancelled.
  ///
  /// - Throws: ``BLEError``: `timedOut` if bluetoothd answers nothing any more.
  func watchService(
    behind unconfirmed: UnconfirmedWrites
  ) async throws(BLEError) {
    guard let timeout else { return await Promise<Void>().value(ifCancelled: ()) }
    while await unconfirmed.waitUntilOnTheWay() {
      try await core.pause(ValueWriter.watchPause, for: Operation(action, timeout: nil))
      do {
        try await core.client.call(BlueZ.ping, for: Operation(action, timeout: timeout))
      } catch {
        // The other errors are those of the values, too, which find their reason.
        guard error.code == .timedOut, await core.client.isHanging() else { continue }
        throw error.ofHangingService
      }
    }
  }

  // MARK: The socket

  /// Returns the socket of AcquireWrite; nil if BlueZ has none, or the bus cannot pass it.
  private func acquireWrite(
    _ operation: Operation
  ) async throws(BLEError) -> PacketSink? {
    try await core.requireLink(of: device, operation)
    guard core.connection.isDirect else { return nil }
    let message = attribute.message("AcquireWrite") { $0.properties([]) }
    while true {
      do {
        let reply = try await core.client.call(message, for: operation)
        guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else { return nil }
        device.acquired.insert(attribute.path)
        return PacketSink(adopting: descriptor, on: core.loop)
      } catch {
        // WriteValue reports all other errors as well.
        if [.timedOut, .cancelled, .disconnected, .serviceUnavailable, .busUnavailable].contains(error.code) {
          throw error
        }
        guard error.isForeignRequest else { return nil }
        if operation.deadline.isOver { throw error }
        try await core.pause(.milliseconds(25), for: operation)
      }
    }
  }

  /// Returns when bluetoothd has read the values.
  private func write(
    _ values: ArraySlice<[UInt8]>, to sink: PacketSink,
    _ taken: (Int) -> Void
  ) async throws(BLEError) {
    let first = device.commands.beginSocket()
    do throws(BLEError) {
      try await pour(values, into: sink, taken)
      device.commands.endSocket(from: first)
    } catch {
      device.commands.abandonSocket(from: first)
      throw error
    }
  }

  private func pour(
    _ values: ArraySlice<[UInt8]>, into sink: PacketSink,
    _ taken: (Int) -> Void
  ) async throws(BLEError) {
    var rest = values
    while !rest.isEmpty {
      let operation = operation
      let outcome = await sink.send(rest, until: operation.deadline.instant)
      let accepted = try await count(outcome, operation)
      device.commands.add(accepted)
      taken(accepted)
      rest = rest.dropFirst(accepted)
    }
    let draining = operation
    _ = try await count(await sink.drain(until: draining.deadline.instant), draining)
  }

  private func count(
    _ outcome: PacketSink.Outcome, _ operation: Operation
  ) async throws(BLEError) -> Int {
    switch outcome {
    case .taken(let count): return count
    case .closed:
      try await device.requireLink(operation)
      throw device.loss(during: operation.action)
    case .cancelled: throw operation.cancelled
    case .timedOut:
      throw operation.error(.timedOut, "BlueZ did not accept the value before the timeout")
    }
  }

  // MARK: Calls

  /// Calls WriteValue without waiting for the previous reply: BlueZ executes the calls in order.
  private func pipeline(
    _ values: ArraySlice<[UInt8]>, _ operation: Operation,
    _ taken: (Int) -> Void
  ) async throws(BLEError) {
    try await core.requireLink(of: device, operation)
    try await attribute.requests.take(
      for: operation, on: core.loop, orFailWith: "requests before it take too long")
    defer { attribute.requests.release() }
    var underWay: [(value: [UInt8], outcome: Promise<Result<Message, DBusError>>)] = []
    var rest = values
    while !rest.isEmpty || !underWay.isEmpty {
      if Task.isCancelled {
        taken(underWay.count)
        throw operation.cancelled
      }
      while underWay.count < ValueWriter.writesAtOnce, let value = rest.popFirst() {
        device.commands.add(1)
        underWay.append((value, begin(value)))
      }
      let (value, outcome) = underWay.removeFirst()
      do {
        _ = try await outcome.value.get()
        taken(1)
      } catch {
        let error = BLEError(error, during: operation.action)
        guard error.isForeignRequest, !operation.deadline.isOver,
          await areRefused(underWay.map(\.outcome), operation.action)
        else {
          for (_, other) in underWay { if case .success = await other.value { taken(1) } }
          let failure = await FailureExplainer(device, operation).request(failedWith: error)
          if failure.mayHaveTakenEffect { taken(1) }
          throw failure
        }
        // In order again, once the other program's request has ended.
        rest = ([value] + underWay.map(\.value) + rest)[...]
        underWay = []
        try await core.pause(.milliseconds(25), for: operation)
      }
    }
  }

  /// Returns whether all of these calls failed because of another program's request.
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
    _ value: [UInt8]
  ) -> Promise<Result<Message, DBusError>> {
    let message = attribute.message(for: .write(value, .withoutResponse))
    let promise = Promise<Result<Message, DBusError>>()
    // BlueZ answers a command at once: an hour is as good as no limit.
    core.client.begin(message, timeout: timeout ?? .seconds(3600)) { promise.fulfil($0) }
    return promise
  }
}
