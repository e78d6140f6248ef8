// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Peripheral {
  /// Pairs with the device: both sides get keys, and encrypt their links from now on.
  ///
  /// Opens a link where there is none. As after ``connect(timeout:)``, the link stays in use until ``release()``; if the
  /// pairing fails, a link that was opened for it is closed. Pairings of a manager take turns. If the task is cancelled,
  /// so is the pairing.
  ///
  /// BlueZ: AgentManager1.RegisterAgent, Device1.Pair, and UnregisterAgent at the end; the agent does not become the
  /// default one, unless it is the only one. Since BlueZ 5.81, a link that exists is paired with the capability of the
  /// default agent.
  ///
  /// - Parameters:
  ///   - agent: who answers questions. By default, pairs only without a number.
  ///   - timeout: for all of it, including the answers; nil is without limit. A question has 25 s.
  /// - Returns: how the devices have paired, and whether the keys are kept.
  /// - Throws: ``BLEError``: `authenticationFailed`, `pairingRejected`, `pairingCancelled`, `pairingTimedOut`,
  ///   `alreadyPaired`, `pairingInProgress`; those of ``connect(timeout:)``; `cancelled`.
  @discardableResult
  public func pair(
    using agent: some PairingAgent = .justWorks, timeout: Duration? = .seconds(60)
  ) async throws(BLEError) -> PairingOutcome {
    let operation = Operation(.pair(address), timeout: timeout)
    return try await central.perform { [path] (central) throws(BLEError) in
      try await PairingProcedure(device: central.sessions.device(path), operation: operation).pair(
        using: agent, in: central)
    }
  }

  /// Cancels a pairing that ``pair(using:timeout:)`` of the same manager has begun, which then throws
  /// `pairingCancelled`.
  ///
  /// BlueZ: answers an open question with Canceled; without one, Device1.CancelPairing. BlueZ would delete the bond if
  /// that were called without a pairing, so this never does.
  ///
  /// - Throws: ``BLEError`` with code `notFound` where this manager is not pairing with the device.
  public func cancelPairing() async throws(BLEError) {
    let operation = Operation(.cancelPairing(address), timeout: nil)
    try await central.perform { [path] (central) throws(BLEError) in
      try await central.agent.cancelPairing(with: path, operation)
    }
  }

  /// Deletes the bond: BlueZ forgets the device with its keys, its services and its flags, and closes its link.
  ///
  /// The handle is invalid afterwards; a scan finds the device again. The device is not informed: before it can pair
  /// again, many devices have to forget this machine too.
  ///
  /// BlueZ: Adapter1.RemoveDevice. It works on devices that are not paired as well.
  ///
  /// - Parameter timeout: how long it may take; nil is without limit.
  /// - Throws: ``BLEError``: `notFound` where BlueZ does not know the device any more, `timedOut` …
  public func unpair(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.unpair(address), timeout: timeout)
    try await central.perform { [path] (central) throws(BLEError) in
      try await StoredDevice(device: central.sessions.device(path), operation: operation).forget(in: central)
    }
  }

  /// Whether the device is paired: its links are encrypted.
  ///
  /// - Throws: ``BLEError`` with code `notFound` when BlueZ has forgotten it.
  public var isPaired: Bool {
    get async throws(BLEError) { try await info.isPaired }
  }

  /// Whether the keys are kept for the next connection.
  ///
  /// - Throws: ``BLEError`` with code `notFound` when BlueZ has forgotten it.
  public var isBonded: Bool {
    get async throws(BLEError) { try await info.isBonded }
  }

  /// Sets whether the device is trusted: it may then use services of this machine without asking, and BlueZ may
  /// connect to it again by itself.
  ///
  /// It neither allows nor refuses connections or pairings. BlueZ: sets Device1.Trusted.
  ///
  /// - Parameters:
  ///   - isTrusted: whether it is.
  ///   - timeout: how long it may take; nil is without limit.
  /// - Throws: ``BLEError``: `notFound`, `timedOut` …
  public func setTrusted(_ isTrusted: Bool, timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.setTrusted(address, isTrusted), timeout: timeout)
    try await set("Trusted", to: isTrusted, operation) { $0.isTrusted }
  }

  /// Sets whether the device is blocked: its link is closed, and it cannot connect.
  ///
  /// ``connect(timeout:)`` throws `deviceBlocked` then. BlueZ: sets Device1.Blocked.
  ///
  /// - Parameters:
  ///   - isBlocked: whether it is.
  ///   - timeout: how long it may take; nil is without limit.
  /// - Throws: ``BLEError``: `notFound`, `timedOut` …
  public func setBlocked(_ isBlocked: Bool, timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.setBlocked(address, isBlocked), timeout: timeout)
    try await set("Blocked", to: isBlocked, operation) { $0.isBlocked }
  }

  private func set(
    _ property: String, to value: Bool, _ operation: Operation,
    isSet: @escaping @Sendable (DeviceState) -> Bool
  ) async throws(BLEError) {
    try await central.perform { [path] (central) throws(BLEError) in
      let record = StoredDevice(device: central.sessions.device(path), operation: operation)
      try await record.set(property, to: value, in: central, isSet: isSet)
    }
  }
}
