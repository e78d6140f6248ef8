// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Peripheral {
  /// Pairs with the device: both sides exchange keys, and encrypt their links from now on.
  ///
  /// Opens a link if there is none. As after ``connect(timeout:)``, the link stays in use until
  /// ``release()``; if the pairing fails, a link opened for it is closed. A manager's pairings take turns.
  /// Cancelling the task cancels the pairing.
  ///
  /// BlueZ: AgentManager1.RegisterAgent, Device1.Pair, and UnregisterAgent at the end. The agent does not
  /// become the default agent, unless it is the only one. Since BlueZ 5.81, pairing over an existing link
  /// uses the capability of the default agent.
  ///
  /// - Parameters:
  ///   - agent: answers the questions. By default, only pairings without a number are accepted.
  ///   - timeout: for the whole pairing, including the answers; nil sets no limit. Each question must be
  ///     answered within 25 s.
  /// - Returns: how the devices paired, and whether the keys are kept.
  /// - Throws: ``BLEError``: `authenticationFailed`, `pairingRejected`, `pairingCancelled`,
  ///   `pairingTimedOut`, `alreadyPaired`, `pairingInProgress`; those of ``connect(timeout:)``; `cancelled`.
  @discardableResult
  public func pair(
    using agent: some PairingAgent = .justWorks, timeout: Duration? = .seconds(60)
  ) async throws(BLEError) -> PairingOutcome {
    let operation = Operation(.pair(address), timeout: timeout)
    return try await central.perform { (core) throws(BLEError) in
      try await PairingProcedure(device: core.sessions.device(path), operation: operation).pair(
        using: agent)
    }
  }

  /// Cancels a pairing that this manager began with ``pair(using:timeout:)``, which then throws
  /// `pairingCancelled`.
  ///
  /// BlueZ: answers an open question with Canceled; without one, calls Device1.CancelPairing. This method
  /// never calls that without a pairing, because BlueZ would then delete the bond.
  ///
  /// - Throws: ``BLEError`` with code `notFound` if this manager is not pairing with the device.
  public func cancelPairing() async throws(BLEError) {
    let operation = Operation(.cancelPairing(address), timeout: nil)
    try await central.perform { (core) throws(BLEError) in
      try await core.agent.cancelPairing(with: path, operation)
    }
  }

  /// Deletes the bond: BlueZ forgets the device with its keys, services and flags, and closes its link.
  ///
  /// The handle is invalid afterwards; a scan finds the device again. The device is not informed: many
  /// devices must also forget this machine before they can pair again.
  ///
  /// BlueZ: Adapter1.RemoveDevice, which also works on devices that are not paired.
  ///
  /// - Parameter timeout: how long it may take; nil sets no limit.
  /// - Throws: ``BLEError``: `notFound` if BlueZ no longer knows the device, `timedOut` …
  public func unpair(timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.unpair(address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      try await StoredDevice(device: core.sessions.device(path), operation: operation).forget()
    }
  }

  /// True if the device is paired, which means that its links are encrypted.
  ///
  /// - Throws: ``BLEError`` with code `notFound` if BlueZ forgot the device.
  public var isPaired: Bool {
    get async throws(BLEError) { try await info.isPaired }
  }

  /// Waits until the device is paired, and returns whether it is within a limit.
  ///
  /// BlueZ answers the request that required the pairing first, and reports the pairing when all keys are exchanged.
  package func isPaired(within limit: Duration) async -> Bool {
    let operation = Operation(.pair(address), timeout: limit)
    let isPaired: Bool? = try? await central.perform { (core) throws(BLEError) in
      try await core.wait(for: operation) { model in
        model.devices[path]?.isPaired == true ? .success(true) : nil
      }
    }
    return isPaired == true
  }

  /// True if the keys are kept for the next connection.
  ///
  /// - Throws: ``BLEError`` with code `notFound` if BlueZ forgot the device.
  public var isBonded: Bool {
    get async throws(BLEError) { try await info.isBonded }
  }

  /// Sets whether the device is trusted: a trusted device may use services of this machine without asking,
  /// and BlueZ may reconnect to it by itself.
  ///
  /// Trust neither allows nor refuses connections or pairings. BlueZ: sets Device1.Trusted.
  ///
  /// - Parameters:
  ///   - isTrusted: whether the device is trusted.
  ///   - timeout: how long it may take; nil sets no limit.
  /// - Throws: ``BLEError``: `notFound`, `timedOut` …
  public func setTrusted(_ isTrusted: Bool, timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.setTrusted(address, isTrusted), timeout: timeout)
    try await set("Trusted", to: isTrusted, operation) { $0.isTrusted }
  }

  /// Sets whether the device is blocked: BlueZ closes its link, and refuses its connections.
  ///
  /// ``connect(timeout:)`` then throws `deviceBlocked`. BlueZ: sets Device1.Blocked.
  ///
  /// - Parameters:
  ///   - isBlocked: whether the device is blocked.
  ///   - timeout: how long it may take; nil sets no limit.
  /// - Throws: ``BLEError``: `notFound`, `timedOut` …
  public func setBlocked(_ isBlocked: Bool, timeout: Duration? = .seconds(10)) async throws(BLEError) {
    let operation = Operation(.setBlocked(address, isBlocked), timeout: timeout)
    try await set("Blocked", to: isBlocked, operation) { $0.isBlocked }
  }

  private func set(
    _ property: String, to value: Bool, _ operation: Operation,
    isSet: @escaping @Sendable (DeviceState) -> Bool
  ) async throws(BLEError) {
    try await central.perform { (core) throws(BLEError) in
      let record = StoredDevice(device: core.sessions.device(path), operation: operation)
      try await record.set(property, to: value, isSet: isSet)
    }
  }
}
