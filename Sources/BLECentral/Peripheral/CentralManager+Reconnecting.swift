// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// How long one attempt may take: then others have their turn, and the device is listened for.
  private static let reconnectTime = Duration.seconds(10)

  /// Connects to a device that was lost, however long it stays away.
  ///
  /// It waits for bluetoothd to run, for the adapter to be there and on, and for the device; it tries to connect, and
  /// listens for the device in the pauses between, which grow. A device that is heard ends a pause. Each pause scans
  /// anew, so that a scan that has gone quiet does not stay so.
  ///
  /// BlueZ: what ``scan(_:mode:reportsDuplicates:)`` and ``Peripheral/connect(timeout:)`` do, in turns.
  ///
  /// - Parameters:
  ///   - address: the device's address.
  ///   - policy: the pauses, and when to give up.
  /// - Returns: the device, connected, with its services known.
  /// - Throws: ``BLEError``: `busUnavailable` (make a new manager), `cancelled`, or why the last attempt failed when the
  ///   limit of the policy is reached.
  public func reconnect(
    to address: BluetoothAddress, policy: ReconnectPolicy = ReconnectPolicy()
  ) async throws(BLEError) -> Peripheral {
    let operation = "connect to \(address) again"
    let deadline = Deadline(after: policy.limit)
    var failures = 0
    while true {
      do throws(BLEError) {
        try await waitUntilPoweredOn(until: deadline, for: operation)
        guard let peripheral = try knownPeripheral(withAddress: address)?.peripheral
        else {
          throw BLEError(.notFound, operation: operation, message: "BlueZ has forgotten the device")
        }
        _ = try await connect(peripheral, until: deadline.within(CentralManager.reconnectTime))
        return peripheral
      } catch {
        guard error.code != .cancelled, error.code != .busUnavailable, !deadline.isOver else { throw error }
        failures += 1
        let end = deadline.within(policy.delay(after: failures))
        // What is away may be heard; what is there and refuses is better left alone for the whole pause.
        if [.timedOut, .connectionFailed, .notFound].contains(error.code), await hears(address, until: end) {
          continue
        }
        if let left = end.remaining { try await pause(left, until: .never, for: operation) }
      }
    }
  }

  /// Whether a device is heard within a time.
  private func hears(_ address: BluetoothAddress, until end: Deadline) async -> Bool {
    guard let instant = end.instant else { return false }
    var scan = scan(ScanFilter(addresses: [address])).makeAsyncIterator()
    while !end.isOver {
      guard let batch = try? await scan.nextBatch(until: instant) else { return false }
      if batch.contains(where: { $0.kind != .lost && $0.info.rssi != nil }) { return true }
    }
    return false
  }

  /// Waits until bluetoothd runs, and the adapter is there and on.
  ///
  /// - Throws: ``BLEError``: `busUnavailable`, `cancelled`, or what is missing when the deadline comes.
  private func waitUntilPoweredOn(until deadline: Deadline, for operation: String) async throws(BLEError) {
    while true {
      let missing: BLEError
      do throws(BLEError) {
        _ = try poweredAdapter(for: operation)
        return
      } catch {
        missing = error
      }
      guard missing.code != .busUnavailable, !deadline.isOver else { throw missing }
      try await waitForChange(until: deadline, for: operation)
    }
  }

  /// Waits until anything changes that the state depends on, or the deadline comes.
  private func waitForChange(until deadline: Deadline, for operation: String) async throws(BLEError) {
    let promise = Promise<Bool>()
    let before = state
    let number = conditions.add { [weak self] _, _ in
      guard let self, assumeIsolated({ $0.state }) == before else {
        promise.fulfil(true)
        return true
      }
      return false
    }
    let timer = deadline.instant.map { loop.schedule(at: $0) { promise.fulfil(true) } }
    defer {
      conditions.remove(number)
      if let timer { loop.cancel(timer) }
    }
    let isOver = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(false)
    }
    if !isOver { throw BLEError(.cancelled, operation: operation, message: "cancelled") }
  }
}
