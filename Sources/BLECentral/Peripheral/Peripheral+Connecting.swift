// SPDX-License-Identifier: MIT

/// How a link came to be.
public enum LinkOrigin: Sendable, Hashable {
  /// We opened it, and close it when the manager is closed.
  case opened
  /// It was there: another program's, or one that is still going down.
  case joined
}

extension Peripheral {
  /// Connects, and waits until the services are known.
  ///
  /// A link that is there already is used.
  ///
  /// BlueZ: Device1.Connect, then `ServicesResolved`. Our scanning pauses meanwhile; failures that pass are tried again
  /// within the time; one connection of an adapter is made at a time.
  ///
  /// - Parameter timeout: for all of it; nil is without limit.
  /// - Returns: whether the link was opened, or joined.
  /// - Throws: ``BLEError``: `timedOut` (the attempt is then cancelled in BlueZ too), `connectionFailed`, `notFound`
  ///   when BlueZ has forgotten the device, `poweredOff`, `cancelled` …
  @discardableResult
  public func connect(timeout: Duration? = .seconds(20)) async throws(BLEError) -> LinkOrigin {
    try await central.connect(self, until: Deadline(after: timeout))
  }

  /// Closes the link, whoever opened it, and waits until it is closed.
  ///
  /// BlueZ: Device1.Disconnect, which takes 2 s. It also cancels an attempt to connect.
  ///
  /// - Parameter timeout: how long to wait; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  public func disconnect(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    try await central.disconnect(self, until: Deadline(after: timeout))
  }

  /// Closes the link without waiting: BlueZ takes 2 s for it.
  public func disconnectLater() async { await central.disconnectLater(self) }

  /// Leaves the link as it is when the manager is closed.
  public func keepLink() async { await central.keepLink(of: self) }

  /// Waits until there is no link.
  ///
  /// - Parameter timeout: how long to wait; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut`, or what ended the waiting.
  public func waitUntilDisconnected(timeout: Duration? = nil) async throws(BLEError) {
    try await central.waitUntilDisconnected(self, until: Deadline(after: timeout))
  }
}

extension CentralManager {
  /// Connects, runs `body`, and closes the link again if it was opened here.
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
    let origin = try await peripheral.connect(timeout: timeout)
    do {
      let result = try await body(peripheral)
      if origin == .opened { await peripheral.disconnectLater() }
      return result
    } catch {
      if origin == .opened { await peripheral.disconnectLater() }
      throw error
    }
  }
}
