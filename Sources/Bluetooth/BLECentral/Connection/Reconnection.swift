// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// Reconnects to a lost device: waits for bluetoothd, the adapter and the device, alternating with attempts.
struct Reconnection {
  let core: CentralCore
  let key: DeviceKey
  /// The address of the last link, which a device with private addresses may no longer use.
  let address: BluetoothAddress
  let policy: ReconnectPolicy
  let operation: Operation

  /// The limit for one attempt; then other devices have their turn, and the manager scans for this one.
  private static let attemptTime = Duration.seconds(10)

  init(in core: CentralCore, _ key: DeviceKey, last address: BluetoothAddress, _ policy: ReconnectPolicy) {
    self.core = core
    self.key = key
    self.address = address
    self.policy = policy
    operation = Operation(.reconnect(address), timeout: policy.limit)
  }

  func run() async throws(BLEError) -> PeripheralInfo {
    var failures = 0
    var heard: Peripheral?
    while true {
      var failure = operation.error(.timedOut, "no connection before the timeout")
      do throws(BLEError) {
        try await waitUntilPoweredOn()
        if let heard {
          return try await connect(to: heard)
        } else if let info = try await guess() {
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
        heard = await listen(until: end.deadline)
      }
      if heard == nil { _ = try await Promise<Never>().value(for: end, on: core.loop) }
    }
  }

  /// Connects to a device that BlueZ knows, though it was not heard; returns nil if others need the radio more.
  private func guess() async throws(BLEError) -> PeripheralInfo? {
    guard let peripheral = try known() else { throw operation.error(.notFound, notFound) }
    // A device with a link needs no connection.
    if core.isConnected(peripheral.path) { return try await connect(to: peripheral) }
    let turns = turns(of: peripheral.path)
    guard turns.beginGuessing(at: LoopClock.now) else { return nil }
    defer { turns.endGuessing(at: LoopClock.now) }
    return try await connect(to: peripheral, isGuess: true)
  }

  private func connect(
    to peripheral: Peripheral, isGuess: Bool = false
  ) async throws(BLEError) -> PeripheralInfo {
    let attempt = Operation(.connect(peripheral.address), until: operation.deadline)
    let device = core.sessions.device(peripheral.path)
    _ = try await LinkOpener(
      device: device, operation: attempt.within(Reconnection.attemptTime), isGuess: isGuess
    ).connect()
    return try core.info(of: peripheral)
  }

  /// Scans for the device; returns nil at the deadline.
  private func listen(until deadline: Deadline) async -> Peripheral? {
    guard let path = try? core.poweredAdapter(for: operation.action).path else { return nil }
    let turns = core.sessions.adapter(path).connecting
    turns.beginListening()
    defer { turns.endListening() }
    return (try? await core.hear(filter, until: deadline))?.peripheral
  }

  private func turns(of path: String) -> ConnectTurns {
    core.sessions.adapter(BlueZ.adapterPath(ofDevice: path)).connecting
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
  /// of them would fail.
  private func known() throws(BLEError) -> Peripheral? {
    if case .address(let present) = key {
      if let last = try core.knownPeripheral(withAddress: address) { return last.peripheral }
      // A pairing has replaced the private address of the last link.
      return try core.knownPeripheral(withAddress: present)?.peripheral
    }
    return try core.knownPeripherals().first { $0.key == key && $0.isConnected }?.peripheral
  }

  /// Waits until bluetoothd runs and the adapter is on.
  ///
  /// - Throws: ``BLEError``: `busUnavailable`, `cancelled`, or what is missing when the deadline comes.
  private func waitUntilPoweredOn() async throws(BLEError) {
    while true {
      let before = core.state
      let missing: BLEError
      do throws(BLEError) {
        _ = try core.poweredAdapter(for: operation.action)
        return
      } catch {
        missing = error
      }
      // A manager without a bus, or a closed one, no longer changes.
      guard !missing.isFinal, !operation.deadline.isOver else { throw missing }
      try await waitForChange(of: before)
    }
  }

  private func waitForChange(
    of before: BluetoothState
  ) async throws(BLEError) {
    let wait = Promise<Void>()
    // It may have changed already: a task that does not prefer the loop is queued again on its way here.
    let number = core.conditions.add(now: core.client.model, core.outage) { [core] _, outage in
      let hasChanged = outage?.isFinal ?? false || core.state != before
      if hasChanged { wait.fulfil(()) }
      return hasChanged
    }
    defer { if let number { core.conditions.remove(number) } }
    _ = try await wait.value(for: operation, on: core.loop)
  }
}
