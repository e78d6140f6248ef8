// SPDX-License-Identifier: MIT

/// How a link came to be.
public enum LinkOrigin: Sendable, Hashable {
  /// This manager opened it.
  case opened
  /// It was there: another program, or another manager, opened it.
  case joined
}

extension Peripheral {
  /// Connects, and waits until the services are known.
  ///
  /// A link that is there already is joined. One that is being closed is waited for, and a new one opened: BlueZ takes 2 s
  /// to close a link, and reports nothing until then. Link and program part again with ``release()`` or
  /// ``CentralManager/close()``.
  ///
  /// BlueZ: Device1.Connect, then `ServicesResolved`. Our scanning pauses meanwhile; failures that pass are tried again
  /// within the time. An adapter makes one connection at a time, in turns of a few seconds. Whether a link is being closed is
  /// asked with StartNotify on a characteristic that cannot notify.
  ///
  /// - Parameter timeout: for all of it; nil is without limit.
  /// - Returns: whether the link was opened, or joined.
  /// - Throws: ``BLEError``: `timedOut` (the attempt is then cancelled in BlueZ too), `connectionFailed`, `notFound`
  ///   when BlueZ has forgotten the device, `poweredOff`, `cancelled` …
  @discardableResult
  public func connect(timeout: Duration? = .seconds(20)) async throws(BLEError) -> LinkOrigin {
    try await central.connect(self, until: Deadline(after: timeout))
  }

  /// Closes the link, whoever opened it and uses it, and waits until it is closed.
  ///
  /// Writes without response that are still on their way are waited for first, within the time.
  ///
  /// BlueZ: Device1.Disconnect, which takes 2 s. It also cancels an attempt to connect.
  ///
  /// - Parameter timeout: how long to wait; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  public func disconnect(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    try await central.disconnect(self, until: Deadline(after: timeout))
  }

  /// Stops using the link, and closes it unless others still need it.
  ///
  /// This manager's subscriptions to the device end first, with the code `disconnected`. The link is closed when a program
  /// of this library opened it, no other one uses it, and no notification and no socket of another program is on. Otherwise it stays, and the manager's logger says why at level `info`. Writes without
  /// response that are still on their way have a second to get through. The 2 s that BlueZ takes to close a link are not
  /// waited for.
  ///
  /// BlueZ: Device1.Disconnect. It counts no users of a link; those of this library count themselves, with a lock in
  /// `$XDG_RUNTIME_DIR/blectl`.
  public func release() async { await central.release(path) }

  /// Leaves the link open when it is released, here and in other programs of this library.
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
