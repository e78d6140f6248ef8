// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// Reconnects to a lost device: waits for bluetoothd, the adapter and the device, alternating with attempts.
struct Reconnection {
  let key: DeviceKey
  /// The address of the last link, which a device with private addresses may no longer use.
  let address: BluetoothAddress
  let policy: ReconnectPolicy
  let operation: Operation

  /// The limit for one attempt; then other devices have their turn, and the manager scans for this one.
  private static let attemptTime = Duration.seconds(10)

  init(_ key: DeviceKey, last address: BluetoothAddress, _ policy: ReconnectPolicy) {
    self.key = key
    self.address = address
    self.policy = policy
    operation = Operation(.reconnect(address), timeout: policy.limit)
  }

  func run(in central: isolated CentralManager) async throws(BLEError) -> PeripheralInfo {
    var failures = 0
    var heard: Peripheral?
    while true {
      var failure = operation.error(.timedOut, "no connection before the timeout")
      do throws(BLEError) {
        try await waitUntilPoweredOn(in: central)
        if let heard {
          return try await connect(to: heard, in: central)
        } else if let info = try await guess(in: central) {
          return info
        }
      } catch {
        failure = error
      }
      heard = nil
      // The loss of the bus is recoverable, but only with a new manager.
      guard failure.isRecoverable, !failure.isFinal, !operation.deadline.isOver else { throw failure }
      failures += 1
      let end = operation.within(policy.delay(after: failures))
      // A scan may find an absent device; one that refuses is better left alone for the whole pause.
      if [.timedOut, .connectionFailed, .notFound].contains(failure.code) {
        heard = await listen(until: end.deadline, in: central)
      }
      if heard == nil { _ = try await Wait<Never>().value(for: end, on: central.loop) }
    }
  }

  /// Connects to a device that BlueZ knows, though it was not heard; returns nil if others need the radio more.
  private func guess(in central: isolated CentralManager) async throws(BLEError) -> PeripheralInfo? {
    guard let peripheral = try known(to: central) else { throw operation.error(.notFound, notFound) }
    // A device with a link needs no connection.
    if central.isConnected(peripheral.path) { return try await connect(to: peripheral, in: central) }
    let turns = turns(of: peripheral.path, in: central)
    guard turns.beginGuessing(at: LoopClock.now) else { return nil }
    defer { turns.endGuessing(at: LoopClock.now) }
    return try await connect(to: peripheral, isGuess: true, in: central)
  }

  private func connect(
    to peripheral: Peripheral, isGuess: Bool = false, in central: isolated CentralManager
  ) async throws(BLEError) -> PeripheralInfo {
    let attempt = Operation(.connect(peripheral.address), until: operation.deadline)
    let device = central.sessions.device(peripheral.path)
    _ = try await LinkOpener(
      device: device, operation: attempt.within(Reconnection.attemptTime), isGuess: isGuess
    ).connect(in: central)
    return try central.info(of: peripheral)
  }

  /// Scans for the device; returns nil at the deadline.
  private func listen(until deadline: Deadline, in central: isolated CentralManager) async -> Peripheral? {
    guard let path = try? central.poweredAdapter(for: operation.action).path else { return nil }
    let turns = central.sessions.adapter(path).connecting
    turns.beginListening()
    defer { turns.endListening() }
    return (try? await central.hear(filter, until: deadline))?.peripheral
  }

  private func turns(of path: String, in central: isolated CentralManager) -> ConnectTurns {
    central.sessions.adapter(BlueZ.adapterPath(ofDevice: path)).connecting
  }

  private var notFound: String {
    switch key {
    case .address: "BlueZ has forgotten the device"
    case .identity(let identity): "\(identity.name) was not heard"
    }
  }

  private var filter: ScanFilter {
    var filter = ScanFilter()
    switch key {
    case .address(let address): filter.addresses = [address]
    case .identity: filter.key = key
    }
    return filter
  }

  /// The device among those that BlueZ knows; nil if it has to be heard first.
  ///
  /// BlueZ has an object for each private address, and forgets the old ones only after a while: an attempt to connect to one
  /// of them would be in vain.
  private func known(to central: isolated CentralManager) throws(BLEError) -> Peripheral? {
    guard case .identity = key else { return try central.knownPeripheral(withAddress: address)?.peripheral }
    return try central.knownPeripherals().first { $0.key == key && $0.isConnected }?.peripheral
  }

  /// Waits until bluetoothd runs and the adapter is on.
  ///
  /// - Throws: ``BLEError``: `busUnavailable`, `cancelled`, or what is missing when the deadline comes.
  private func waitUntilPoweredOn(in central: isolated CentralManager) async throws(BLEError) {
    while true {
      let before = central.state
      let missing: BLEError
      do throws(BLEError) {
        _ = try central.poweredAdapter(for: operation.action)
        return
      } catch {
        missing = error
      }
      // A manager without a bus, or a closed one, no longer changes.
      guard !missing.isFinal, !operation.deadline.isOver else { throw missing }
      try await waitForChange(of: before, in: central)
    }
  }

  private func waitForChange(
    of before: BluetoothState, in central: isolated CentralManager
  ) async throws(BLEError) {
    let wait = Wait<Void>()
    // It may have changed already: a task that does not prefer the loop is queued again on its way here.
    let number = central.conditions.add(now: central.model, central.outage) { [weak central] _, outage in
      let hasChanged = outage?.isFinal ?? false || central?.assumeIsolated { $0.state } != before
      if hasChanged { wait.fulfil(()) }
      return hasChanged
    }
    defer { if let number { central.conditions.remove(number) } }
    _ = try await wait.value(for: operation, on: central.loop)
  }
}
