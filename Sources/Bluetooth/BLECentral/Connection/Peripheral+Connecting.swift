// SPDX-License-Identifier: MIT

extension Peripheral {
  /// Connects, and waits until the services are known.
  ///
  /// Joins an existing link. If the link is being closed, waits for its end and opens a new one: BlueZ takes
  /// 2 s to close a link, and reports nothing until then. If several programs of this library wait for it,
  /// one opens the new link, and the others join it. Stop using the link with ``release()`` or
  /// ``CentralManager/close()``.
  ///
  /// BlueZ: Device1.Connect, then `ServicesResolved`. The manager's scans pause meanwhile. Transient failures
  /// are retried until the timeout. An adapter makes one connection at a time; several devices take turns of
  /// a few seconds. A StartNotify on a characteristic that cannot notify reveals whether a link is being
  /// closed, and reading a descriptor proves that a joined link still exists.
  ///
  /// - Parameter timeout: for the whole operation; nil sets no limit.
  /// - Returns: whether the link was opened or joined.
  /// - Throws: ``BLEError``: `timedOut` (the attempt is then cancelled in BlueZ too), also if a link is still
  ///   being closed at the deadline; `connectionFailed`, `notFound` when BlueZ has forgotten the device,
  ///   `poweredOff`, `cancelled` …
  @discardableResult
  public func connect(timeout: Duration? = .seconds(20)) async throws(BLEError) -> LinkOrigin {
    try await connect(timeout: timeout) { _ in }
  }

  /// Does the same, and calls `report` with each step; an existing link is joined without one.
  package func connect(
    timeout: Duration?, report: @escaping @Sendable (LinkStep) -> Void
  ) async throws(BLEError) -> LinkOrigin {
    let operation = Operation(.connect(address), timeout: timeout)
    return try await central.perform { (core) throws(BLEError) in
      let device = core.sessions.device(path)
      return try await LinkOpener(device: device, operation: operation, report: report).connect()
    }
  }

  /// Closes the link, even if other programs opened or use it, and waits until it is closed.
  ///
  /// First waits for pending writes without response, within the timeout.
  ///
  /// BlueZ: Device1.Disconnect, which takes 2 s. It also cancels an attempt to connect.
  ///
  /// - Parameter timeout: how long to wait; nil sets no limit.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  public func disconnect(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.disconnect(address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      try await LinkCloser(device: core.sessions.device(path)).disconnect(operation)
    }
  }

  /// Stops using the link, and closes it unless others need it.
  ///
  /// This manager's subscriptions to the device end first, with the code `disconnected`. The link is closed
  /// if a program of this library opened it, no other one uses it or waits for it, and no other program has a
  /// notification or a socket open. Otherwise it stays, and the manager's logger reports why at level `info`.
  /// Pending writes without response have a second to arrive. This does not wait for the 2 s that BlueZ takes
  /// to close a link.
  ///
  /// BlueZ: Device1.Disconnect. BlueZ does not count the users of a link; this library's programs of one user
  /// count themselves, with a lock in `$XDG_RUNTIME_DIR/blectl`, or `/run/blectl` for root.
  public func release() async { _ = await beginRelease() }

  /// Does the same as ``release()``, and waits for the end of the link, unless others need it.
  ///
  /// Until then, BlueZ lets programs join the link, which carries nothing more. A Disconnect that BlueZ refuses is called
  /// again after pauses, also after the timeout.
  ///
  /// - Parameter timeout: how long to wait for the 2 s that BlueZ takes; nil sets no limit.
  public func releaseAndWait(timeout: Duration? = .seconds(6)) async {
    await release()
    let operation = Operation(.awaitDisconnection(address), timeout: timeout)
    await central.perform { core in
      guard let device = core.sessions.devices[path] else { return }
      // Also a link that a failed attempt to connect has begun to close.
      let _: Bool?? = try? await core.wait(for: operation) { [unowned device] model in
        device.link.closing.isWanted && device.hasLink(in: model) ? nil : .success(true)
      }
    }
  }

  /// True if the link was released, and BlueZ has refused to close it so far.
  package var isClosingRefused: Bool {
    get async { await central.perform { $0.sessions.devices[path]?.link.closing.isRefused == true } }
  }

  /// Has the link closed on release, although it was joined: whoever opened it is gone.
  package func claimLink() async {
    await central.perform { $0.sessions.devices[path]?.lock.mark(isOurs: true) }
  }

  /// Does the same as ``release()``.
  ///
  /// - Returns: whether the link is being closed; false without one, or if others use it.
  package func beginRelease() async -> Bool {
    await central.perform { core in
      guard let device = core.sessions.devices[path] else { return false }
      return await LinkCloser(device: device).release()
    }
  }

  /// Releases the link, and connects again, after the device left a request on it unanswered.
  ///
  /// No request is sent before that one is answered; BlueZ closes the link after 30 s. If others use the
  /// link, they keep it, and so does this manager.
  ///
  /// - Parameter timeout: for connecting; nil sets no limit.
  /// - Throws: ``BLEError`` as ``connect(timeout:)`` does.
  public func renewLink(timeout: Duration? = .seconds(20)) async throws(BLEError) {
    await release()
    try await connect(timeout: timeout)
  }

  /// Leaves the link open on release, here and in other programs of this library.
  public func keepLink() async {
    await central.perform { $0.sessions.devices[path]?.lock.mark(isOurs: false) }
  }

  /// Throws the reason if there is no link: never opened, lost, or its adapter is off or gone.
  package func requireLink() async throws(BLEError) {
    let operation = Operation(.keepLink, timeout: nil)
    try await central.perform { (core) throws(BLEError) in
      try await core.sessions.device(path).requireLink(operation)
    }
  }

  /// True if there is a link, or another one will take the place of the last:
  /// ``waitUntilDisconnected(timeout:)`` waits while this is so.
  package var hasLink: Bool {
    get async {
      await central.perform { core in core.sessions.device(path).hasLink(in: core.client.model) }
    }
  }

  /// Waits until there is no link.
  ///
  /// A link that carries nothing more because a request on it requires pairing has not ended, even if BlueZ has closed it:
  /// the next request replaces it. It ends with ``release()``, or if it cannot be replaced.
  ///
  /// - Parameter timeout: how long to wait; nil sets no limit.
  /// - Throws: ``BLEError``: `timedOut`, or why waiting is impossible.
  public func waitUntilDisconnected(timeout: Duration? = nil) async throws(BLEError) {
    let operation = Operation(.awaitDisconnection(address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      let device = core.sessions.device(path)
      let isOver: Bool? = try await core.wait(for: operation) { [unowned device] model in
        device.hasLink(in: model) ? nil : .success(true)
      }
      if isOver != true { throw operation.error(.timedOut, "still connected") }
    }
  }
}
