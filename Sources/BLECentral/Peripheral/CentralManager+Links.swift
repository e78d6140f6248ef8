// SPDX-License-Identifier: MIT

/// The manager's part of the operations on links.
extension CentralManager {
  func connect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) -> LinkOrigin {
    try await deviceSession(peripheral.path).connect(
      for: "connect to \(peripheral.address)", until: deadline, in: self)
  }

  func disconnect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) {
    try await deviceSession(peripheral.path).disconnect(
      "disconnect from \(peripheral.address)", deadline, in: self)
  }

  func release(_ devicePath: String) async {
    if let device = deviceSessions[devicePath], device.use == .held { await device.release(in: self) }
  }

  func keepLink(of peripheral: Peripheral) { deviceSessions[peripheral.path]?.lock.mark(isOurs: false) }

  func waitUntilDisconnected(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) {
    try await deviceSession(peripheral.path).waitUntilDisconnected(
      "wait for the end of the link to \(peripheral.address)", deadline, in: self)
  }

  /// Connects, runs `body`, and releases the link.
  ///
  /// - Parameters:
  ///   - peripheral: the device.
  ///   - timeout: for connecting; nil is without limit.
  ///   - body: what is done while connected.
  /// - Returns: what `body` returns.
  /// - Throws: ``BLEError`` when the connection cannot be made, and what `body` throws.
  public nonisolated func withConnection<Result: Sendable>(
    to peripheral: Peripheral, timeout: Duration? = .seconds(20),
    _ body: (Peripheral) async throws -> Result
  ) async throws -> Result {
    try await peripheral.connect(timeout: timeout)
    do {
      let result = try await body(peripheral)
      await peripheral.release()
      return result
    } catch {
      await peripheral.release()
      throw error
    }
  }
}
