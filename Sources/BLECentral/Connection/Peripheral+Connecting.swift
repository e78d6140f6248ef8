// SPDX-License-Identifier: MIT

extension Peripheral {
  /// Connects, and waits until the services are known.
  ///
  /// An existing link is joined. One that is being closed is waited for, and a new one opened: BlueZ takes 2 s to close
  /// a link, and reports nothing until then. Of several programs of this library that wait for it, one opens the new link,
  /// and the others join it. Stop using the link with ``release()`` or ``CentralManager/close()``.
  ///
  /// BlueZ: Device1.Connect, then `ServicesResolved`. The manager's scans pause meanwhile. Transient failures are tried
  /// again within the time. An adapter makes one connection at a time; several devices take turns of a few seconds. A
  /// StartNotify on a characteristic that cannot notify reveals whether a link is being closed, and a descriptor is read
  /// to prove that a link that is joined still stands.
  ///
  /// - Parameter timeout: for all of it; nil is without limit.
  /// - Returns: whether the link was opened, or joined.
  /// - Throws: ``BLEError``: `timedOut` (the attempt is then cancelled in BlueZ too), also when a link is still being
  ///   closed at the deadline; `connectionFailed`, `notFound` when BlueZ has forgotten the device, `poweredOff`,
  ///   `cancelled` …
  @discardableResult
  public func connect(timeout: Duration? = .seconds(20)) async throws(BLEError) -> LinkOrigin {
    try await central.connect(path, Operation(.connect(address), timeout: timeout))
  }

  /// Closes the link, even if other programs opened or use it, and waits until it is closed.
  ///
  /// Writes without response that are on their way are waited for first, within the time.
  ///
  /// BlueZ: Device1.Disconnect, which takes 2 s. It also cancels an attempt to connect.
  ///
  /// - Parameter timeout: how long to wait; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  public func disconnect(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.disconnect(address), timeout: timeout)
    try await central.perform { [path] (central) throws(BLEError) in
      try await LinkCloser(device: central.sessions.device(path)).disconnect(operation, in: central)
    }
  }

  /// Stops using the link, and closes it unless others need it.
  ///
  /// This manager's subscriptions to the device end first, with the code `disconnected`. The link is closed when a
  /// program of this library opened it, no other one uses it or waits for it, and no notification or socket of another program is on.
  /// Otherwise it stays, and the manager's logger reports why at level `info`. Writes without response that are on
  /// their way have a second to arrive. The 2 s that BlueZ takes to close a link are not waited for.
  ///
  /// BlueZ: Device1.Disconnect. BlueZ counts no users of a link; the programs of this library that a user runs count
  /// themselves, with a lock in `$XDG_RUNTIME_DIR/blectl`, or `/run/blectl` for root.
  public func release() async { await central.releaseLink(of: path) }

  /// Releases the link, and connects again: for a link on which the device has not answered a request.
  ///
  /// No request is sent before that one is answered; BlueZ closes the link after 30 s. Others who use the link keep it,
  /// and this manager with them.
  ///
  /// - Parameter timeout: for connecting; nil is without limit.
  /// - Throws: ``BLEError`` as ``connect(timeout:)`` does.
  public func renewLink(timeout: Duration? = .seconds(20)) async throws(BLEError) {
    await release()
    try await connect(timeout: timeout)
  }

  /// Leaves the link open when it is released, here and in other programs of this library.
  public func keepLink() async { await central.keepLink(of: path) }

  /// Waits until there is no link.
  ///
  /// - Parameter timeout: how long to wait; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut`, or why it cannot be waited for.
  public func waitUntilDisconnected(timeout: Duration? = nil) async throws(BLEError) {
    let operation = Operation(.awaitDisconnection(address), timeout: timeout)
    try await central.perform { [path] (central) throws(BLEError) in
      try await LinkWaits(device: central.sessions.device(path), operation: operation).waitUntilDisconnected(
        in: central)
    }
  }
}
