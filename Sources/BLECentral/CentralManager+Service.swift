// SPDX-License-Identifier: MIT
internal import DBus
internal import Logging

/// Following bluetoothd: its objects, its signals, its end and its return.
extension CentralManager {
  func start(_ deadline: Deadline) async throws(BLEError) {
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.loseBus() } }
    await connection.followBlueZ { [weak self] message in self?.assumeIsolated { $0.receive(message) } }
    try await learn(deadline)
  }

  /// Reads the whole object tree: at the start, and when bluetoothd has come back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    let failure = try await connection.readBlueZObjects(timeout: deadline.remaining) { [weak self] reply in
      self?.assumeIsolated { $0.apply(snapshot: reply) }
    }
    if let failure { outage = failure }
    modelChanged()
    agent.restore(in: self)
  }

  private func apply(snapshot: Message) {
    guard snapshot.hasSignature("a{oa{sa{sv}}}") else {
      // This is no BlueZ: nothing it sends is used until it ends and its successor is asked.
      (owner, model) = (nil, ObjectModel())
      outage = BLEError(
        .serviceUnavailable, during: .queryService,
        "org.bluez answers GetManagedObjects with '\(snapshot.signature)', as no BlueZ does")
      return
    }
    outage = nil
    owner = snapshot.sender
    model.replace(with: snapshot.body)
    logMismatches()
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

  /// Listens to why links end, before the first one is used; an older BlueZ does not report that.
  func followLinkEnds(of adapterPath: String) async {
    guard !followsLinkEnds, model.adapters[adapterPath]?.reportsLinkEnds == true else { return }
    followsLinkEnds = true
    let ends = MatchRule(
      sender: BlueZ.service, interface: BlueZ.device, member: "Disconnected", pathNamespace: BlueZ.rootPath)
    _ = await connection.subscribe(ends) { [weak self] message in
      self?.assumeIsolated { $0.linkEnded(message) }
    }
  }

  /// Why a link ends, which BlueZ reports before the end itself.
  private func linkEnded(_ message: Message) {
    guard let owner, message.isSent(by: owner), let path = message.path else { return }
    let isLocal = message.values.first?.text == "org.bluez.Reason.Local"
    deviceSessions[path]?.link.endReported(byBlueZ: isLocal)
  }

  private func skip(_ message: Message) {
    logger.debug("skipped \(message.member ?? "a signal"): its type is \(message.signature)")
  }

  func logMismatches() {
    for mismatch in model.takeMismatches() {
      logger.debug(
        """
        skipped \(mismatch.interface).\(mismatch.property) of \(mismatch.path): \
        its type is \(mismatch.signature)
        """)
    }
  }

  // MARK: Outages

  private func follow(_ change: ServiceChange) {
    switch change {
    case .ended:
      if outage == nil { loseEverything(.serviceEnded) }
    case .began(let successor):
      guard successor != owner else { return }
      Task(executorPreference: loop) { [weak self, loop, logger] in
        await BlueZ.learnAgain(on: loop, logger: logger) { [weak self] deadline throws(BLEError) in
          try await self?.learn(deadline)
        }
      }
    }
  }

  private func loseBus() {
    loseEverything(.busLost)
    endFollowing()
  }

  /// Ends the events and the states, after the last of them.
  func endFollowing() {
    if let outage { reporter.end(because: outage) }
    finishStateUpdates()
  }

  /// Ends everything that depends on bluetoothd.
  func loseEverything(_ error: BLEError) {
    outage = error
    owner = nil
    model = ObjectModel()
    let (adapters, attributes) = (adapterSessions.values, attributeSessions.values)
    (adapterSessions, deviceSessions, attributeSessions) = ([:], [:], [:])
    for adapter in adapters { adapter.end(because: error.during(.scan), in: self) }
    for attribute in attributes { attribute.endNotifications(because: error, in: self) }
    agent.serviceLost(in: self)
    abandonCalls(under: BlueZ.rootPath, error.message)
    modelChanged()
  }
}
