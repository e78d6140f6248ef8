// SPDX-License-Identifier: MIT
internal import BLEPeripheral

extension Session {
  /// A manager for what this machine offers, which the caller closes.
  ///
  /// - Parameter adapter: the adapter; nil for the selected one.
  /// - Returns: the manager.
  /// - Throws: ``BLEError`` when BlueZ cannot be reached; ``CommandError`` when the simulation does not start.
  func peripheralManager(adapter: String?) async throws -> PeripheralManager {
    try await PeripheralManager(
      bus: try await bus(), adapter: adapter ?? wantedAdapter, timeout: timeout, logger: logger, loop: loop)
  }
}
