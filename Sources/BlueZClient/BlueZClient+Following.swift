// SPDX-License-Identifier: MIT
internal import BLECore
package import DBus
internal import Logging

extension BlueZClient {
  func start(_ deadline: Deadline) async throws(BLEError) {
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.lose(.busLost) } }
    await connection.followBlueZ { [weak self] message in self?.assumeIsolated { $0.receive(message) } }
    try await learn(deadline)
  }

  /// Reads all objects, at the start and after bluetoothd came back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    let failure = try await connection.readBlueZObjects(timeout: deadline.remaining) { [weak self] reply in
      self?.assumeIsolated { $0.apply(snapshot: reply) }
    }
    if let failure {
      outage = failure
      everythingChanged()
    }
  }

  private func apply(snapshot: Message) {
    // Two calls were under way: since the first reply, the model has followed the signals.
    if outage == nil, let owner, snapshot.isSent(by: owner) { return }
    if model.replace(byAnswer: snapshot) {
      outage = nil
      owner = snapshot.sender
    } else {
      // This is not BlueZ: ignore it until it ends and its successor is asked.
      outage = BLEError(
        .serviceUnavailable, during: .queryService,
        "org.bluez answers GetManagedObjects with '\(snapshot.signature)', as no BlueZ does")
      owner = nil
    }
    everythingChanged()
  }

  private func everythingChanged() {
    logMismatches()
    stateMayHaveChanged()
    report(.everything)
  }

  // MARK: Signals

  private func receive(_ message: Message) {
    guard let owner, message.isSent(by: owner) else {
      if let change = ServiceChange(message) { follow(change) }
      return
    }
    guard let path = message.path else { return }
    if message.hasMember("PropertiesChanged") {
      guard message.hasSignature("sa{sv}as") else { return skip(message) }
      follow(message.withBody { model.propertiesChanged(path, &$0) })
    } else if message.hasMember("InterfacesAdded") {
      guard message.hasSignature("oa{sa{sv}}") else { return skip(message) }
      follow(message.withBody { model.interfacesAdded(&$0) })
    } else if message.hasMember("InterfacesRemoved") {
      guard message.hasSignature("oas") else { return skip(message) }
      follow(message.withBody { model.interfacesRemoved(&$0) })
    }
  }

  private func follow(_ changes: [ObjectModel.Change]) {
    logMismatches()
    guard !changes.isEmpty else { return }
    if changes.contains(where: \.isOfAdapter) { stateMayHaveChanged() }
    report(.objects(changes))
  }

  private func skip(_ message: Message) {
    logger.debug("skipped \(message.member ?? "a signal"): its type is \(message.signature)")
  }

  package func logMismatches() {
    for mismatch in model.takeMismatches() {
      logger.debug(
        """
        skipped \(mismatch.interface).\(mismatch.property) of \(mismatch.path): \
        its type is \(mismatch.signature)
        """)
    }
  }

  /// Calls `handler` on the loop for each signal of bluetoothd with this name, from any of its objects.
  package func follow(
    _ member: String, of interface: String, handler: @escaping @Sendable (Message) -> Void
  ) async {
    let rule = MatchRule(
      sender: BlueZ.service, interface: interface, member: member, pathNamespace: BlueZ.rootPath)
    _ = await connection.subscribe(rule) { [weak self] message in
      guard let owner = self?.assumeIsolated({ $0.owner }), message.isSent(by: owner) else { return }
      handler(message)
    }
  }

  // MARK: Outages

  private func follow(_ change: ServiceChange) {
    switch change {
    case .ended:
      if outage == nil { lose(.serviceEnded) }
    case .began(let successor):
      guard successor != owner else { return }
      Task(executorPreference: loop) { [weak self, loop, logger] in
        await BlueZ.learnAgain(on: loop, logger: logger) { [weak self] deadline throws(BLEError) in
          try await self?.learn(deadline)
        }
      }
    }
  }

  func lose(_ error: BLEError) {
    let last = model
    outage = error
    owner = nil
    model.removeAll()
    report(.lost(error, last))
    abandonCalls(under: BlueZ.rootPath, error.message)
    everythingChanged()
    if error.isFinal { finishStateUpdates() }
  }

}
