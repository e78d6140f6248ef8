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
    let operation = Operation("find a device", timeout: timeout)
    if let heard = try await hear(filter, until: operation.deadline) { return heard }
    if Task.isCancelled { throw operation.cancelled }
    throw operation.error(.timedOut, "none that fits was heard in the time given")
  }

  /// Scans until a device is heard.
  ///
  /// - Parameters:
  ///   - filter: what the scan reports.
  ///   - deadline: until when to scan.
  ///   - isWanted: the condition on the device.
  /// - Returns: the device; nil when the deadline came first, or the task was cancelled.
  /// - Throws: ``BLEError``: why the scan cannot begin or continue.
  package nonisolated func hear(
    _ filter: ScanFilter, until deadline: Deadline, where isWanted: (PeripheralInfo) -> Bool = { _ in true }
  ) async throws(BLEError) -> PeripheralInfo? {
    var scan = scan(filter).makeAsyncIterator()
    while !deadline.isOver, let batch = try await scan.nextBatch(until: deadline.instant) {
      let heard = batch.elements.first { $0.kind != .lost && isWanted($0.info) }
      if let heard { return heard.info }
    }
    return nil
  }
}
