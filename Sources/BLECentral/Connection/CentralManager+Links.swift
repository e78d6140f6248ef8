// SPDX-License-Identifier: MIT

/// The manager's part of the operations on links.
extension CentralManager {
  func connect(_ devicePath: String, _ operation: Operation) async throws(BLEError) -> LinkOrigin {
    try await LinkOpener(device: deviceSession(devicePath), operation: operation).connect(in: self)
  }

  func releaseLink(of devicePath: String, within limit: Duration? = nil) async {
    guard let device = deviceSessions[devicePath] else { return }
    await LinkCloser(device: device).release(within: limit, in: self)
  }

  func keepLink(of devicePath: String) { deviceSessions[devicePath]?.lock.mark(isOurs: false) }

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
