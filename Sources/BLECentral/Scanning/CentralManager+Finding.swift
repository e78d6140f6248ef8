// SPDX-License-Identifier: MIT

extension CentralManager {
  /// Finds a device: among those that BlueZ knows, connected ones first; else by a scan.
  ///
  /// A device that is connected does not advertise: a scan alone would never find it.
  ///
  /// BlueZ: what it knows, then as ``scan(_:mode:reportsDuplicates:)``.
  ///
  /// ```swift
  /// let piano = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Piano" }))
  /// ```
  ///
  /// - Parameters:
  ///   - filter: the conditions; the first device that meets them is taken.
  ///   - timeout: how long to scan; nil is without limit.
  /// - Returns: the device, as it is known now.
  /// - Throws: ``BLEError``: `timedOut` when none was heard, `poweredOff`, `noAdapter`, `serviceUnavailable`,
  ///   `cancelled` …
  public nonisolated func firstPeripheral(
    matching filter: ScanFilter, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> PeripheralInfo {
    let known = try await knownPeripherals().filter { filter.allows($0) }
    if let found = known.first(where: \.isConnected) ?? known.first { return found }
    let deadline = Deadline(after: timeout)
    let operation = "find a device"
    var scan = scan(filter).makeAsyncIterator()
    while !deadline.isOver {
      guard let batch = try await scan.nextBatch(until: deadline.instant) else {
        throw BLEError(.cancelled, operation: operation, message: "cancelled")
      }
      if let event = batch.elements.first(where: { $0.kind != .lost }) { return event.info }
    }
    throw BLEError(.timedOut, operation: operation, message: "none that fits was heard in the time given")
  }
}
