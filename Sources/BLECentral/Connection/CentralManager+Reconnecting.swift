// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// How long one attempt may take: then other devices have their turn, and the manager listens for this one.
  private static let reconnectTime = Duration.seconds(10)

  /// Connects to a device that was lost, however long it stays away.
  ///
  /// The manager waits for bluetoothd, for the adapter to be on, and for the device. Between attempts to connect it
  /// listens for the device in growing pauses, which end when the device is heard. Each pause starts a new scan, in
  /// place of one that may have gone quiet.
  ///
  /// BlueZ: what ``scan(_:mode:reportsDuplicates:)`` and ``Peripheral/connect(timeout:)`` do, in turns.
  ///
  /// - Parameters:
  ///   - address: the device's address.
  ///   - policy: the pauses, and when to give up.
  /// - Returns: the device, as it is known now, connected and with its services.
  /// - Throws: ``BLEError``: `busUnavailable` (make a new manager), `cancelled`, `bondLostByPeer`, `deviceBlocked`, or why
  ///   the last attempt failed when the limit of the policy is reached.
  public func reconnect(
    to address: BluetoothAddress, policy: ReconnectPolicy = ReconnectPolicy()
  ) async throws(BLEError) -> PeripheralInfo {
    let operation = Operation("connect to \(address) again", timeout: policy.limit)
    var failures = 0
    while true {
      do throws(BLEError) {
        try await waitUntilPoweredOn(for: operation)
        guard let peripheral = try knownPeripheral(withAddress: address)?.peripheral
        else {
          throw operation.error(.notFound, "BlueZ has forgotten the device")
        }
        let attempt = Operation("connect to \(address)", until: operation.deadline)
        _ = try await connect(peripheral.path, attempt.within(CentralManager.reconnectTime))
        return try info(of: peripheral)
      } catch {
        let isLasting = error.isFinal || [.bondLostByPeer, .deviceBlocked].contains(error.code)
        guard !isLasting, !operation.deadline.isOver else { throw error }
        failures += 1
        let end = operation.within(policy.delay(after: failures))
        // An absent device may be heard; one that refuses is better left alone for the whole pause.
        if [.timedOut, .connectionFailed, .notFound].contains(error.code),
          await hears(address, until: end.deadline)
        {
          continue
        }
        _ = try await Wait<Never>().value(for: end, on: loop)
      }
    }
  }

  /// Whether a device is heard within a time.
  private func hears(_ address: BluetoothAddress, until end: Deadline) async -> Bool {
    guard let instant = end.instant else { return false }
    var scan = scan(ScanFilter(addresses: [address])).makeAsyncIterator()
    while !end.isOver {
      guard let batch = try? await scan.nextBatch(until: instant) else { return false }
      if batch.elements.contains(where: { $0.kind != .lost && $0.info.rssi != nil }) { return true }
    }
    return false
  }

  /// Waits until bluetoothd runs and the adapter is on.
  ///
  /// - Throws: ``BLEError``: `busUnavailable`, `cancelled` (also when the manager is closed), or what is missing when the
  ///   deadline comes.
  private func waitUntilPoweredOn(for operation: Operation) async throws(BLEError) {
    while true {
      let before = state
      let missing: BLEError
      do throws(BLEError) {
        _ = try poweredAdapter(for: operation.name)
        return
      } catch {
        missing = error
      }
      // A manager without a bus, or a closed one, does not change any more.
      guard !missing.isFinal, !operation.deadline.isOver else { throw missing }
      try await waitForChange(of: before, for: operation)
    }
  }

  /// Waits until the state is another one than before, or the deadline comes.
  private func waitForChange(
    of before: BluetoothState, for operation: Operation
  ) async throws(BLEError) {
    let wait = Wait<Void>()
    // It may have changed already: a task that does not prefer the loop is queued again on its way here.
    let number = conditions.add(now: model, outage) { [weak self] _, outage in
      let hasChanged = outage?.isFinal ?? false || self?.assumeIsolated { $0.state } != before
      if hasChanged { wait.fulfil(()) }
      return hasChanged
    }
    defer { if let number { conditions.remove(number) } }
    _ = try await wait.value(for: operation, on: loop)
  }
}
