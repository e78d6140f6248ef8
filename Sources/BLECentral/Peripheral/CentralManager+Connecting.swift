// SPDX-License-Identifier: MIT
internal import DBus
internal import Logging

extension CentralManager {
  /// How long one attempt may take: the kernel's own, of 40 s, sometimes waits for a device that is there, and a second
  /// one succeeds at once.
  private static let attemptTime = Duration.seconds(8)
  /// How long the controller needs for the end of a link, after BlueZ has told of it.
  private static let closingTime = Duration.milliseconds(300)

  func connect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) -> LinkOrigin {
    let operation = "connect to \(peripheral.address)"
    let adapterPath = try device(peripheral, for: operation).adapterPath
    let queue = connectQueues[adapterPath] ?? SerialQueue()
    connectQueues[adapterPath] = queue
    guard await queue.take(until: deadline, on: loop) else { throw gaveUp(operation) }
    defer { queue.release() }
    var attempt = LinkAttempt()
    while true {
      do {
        let origin = try await tryToConnect(peripheral, adapterPath, operation, deadline)
        guard tree(of: peripheral.path).isEmpty, attempt.mayRetryForServices() else { return origin }
        // ServicesResolved without services: their discovery failed, BlueZ only logs it.
        logger.debug("\(peripheral.address) has no services: connecting once more")
        try await disconnect(peripheral, until: deadline)
      } catch {
        guard error.isTransient, !deadline.isOver else { throw error }
        logger.debug("connecting to \(peripheral.address) failed for the moment: \(error.message)")
        try await settleAfterFailure(peripheral, attempt.nextDelay(), deadline, operation)
        if deadline.isOver { throw error }
      }
    }
  }

  /// One attempt: the link, then the services, then a round trip behind which all of them have arrived.
  private func tryToConnect(
    _ peripheral: Peripheral, _ adapterPath: String, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) -> LinkOrigin {
    let device = try device(peripheral, for: operation)
    if model.adapters[adapterPath]?.isPowered != true { _ = try poweredAdapter(for: operation) }
    if device.isConnected {
      linkUses[peripheral.path] = .held
      if !device.isResolved { try await waitForServices(peripheral, operation, deadline) }
      return openedLinks.contains(peripheral.path) ? .opened : .joined
    }
    await pauseDiscovery(of: adapterPath)
    defer { resumeDiscovery(of: adapterPath) }
    if let end = lastLinkEnds[peripheral.path], .now - end < CentralManager.closingTime {
      try await pause(CentralManager.closingTime, until: deadline, for: operation)
    }
    do {
      let connect = Message(call: "Connect", of: BlueZ.device, at: peripheral.path, to: BlueZ.service)
      try await call(connect, for: operation, until: deadline.within(CentralManager.attemptTime))
      openedLinks.insert(peripheral.path)
      linkUses[peripheral.path] = .held
      try await waitForServices(peripheral, operation, deadline)
    } catch {
      // The kernel goes on trying, and a later success would leave a link that nobody knows of.
      let isForeign = error.code == .busy || error.message == "Operation already in progress"
      if !isForeign, error.code != .notFound { postDisconnect(peripheral.path) }
      openedLinks.remove(peripheral.path)
      linkUses[peripheral.path] = nil
      guard error.code == .timedOut else { throw error }
      if deadline.isOver { throw gaveUp(operation) }
      throw BLEError(.connectionFailed, operation: operation, message: "no connection yet")
    }
    return .opened
  }

  private func waitForServices(
    _ peripheral: Peripheral, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) {
    let path = peripheral.path
    let isResolved: Bool? = try await wait(for: operation, until: deadline) { model in
      guard let device = model.devices[path] else {
        return .failure(BLEError(.notFound, operation: operation, message: "BlueZ has forgotten the device"))
      }
      if !device.isConnected {
        let message = "the link was lost before the services were known"
        return .failure(BLEError(.connectionFailed, operation: operation, message: message))
      }
      return device.isResolved ? .success(true) : nil
    }
    if isResolved == nil { throw gaveUp(operation) }
    try await passBarrier(path, operation, deadline)
    guard tree(of: path).isEmpty else { return }
    // None yet: where bluetoothd is busy they come a moment later, and behind the first of them all others.
    let hasServices: Bool? = try await wait(for: operation, until: deadline.within(.milliseconds(500))) {
      model in
      model.services.values.contains { $0.devicePath == path } ? .success(true) : nil
    }
    if hasServices == true { try await passBarrier(path, operation, deadline) }
  }

  /// ServicesResolved may overtake the services; the reply to any call comes behind all that bluetoothd had to tell
  /// before it.
  private func passBarrier(_ path: String, _ operation: String, _ deadline: Deadline) async throws(BLEError) {
    let barrier = Message(call: "Get", of: StandardInterface.properties, at: path, to: BlueZ.service) {
      $0.string(BlueZ.device)
      $0.string("ServicesResolved")
    }
    try await call(barrier, for: operation, until: deadline)
  }

  /// Waits for the rest of a link to go down, and a little longer: BlueZ tells it before the controller is ready.
  private func settleAfterFailure(
    _ peripheral: Peripheral, _ delay: Duration, _ deadline: Deadline, _ operation: String
  ) async throws(BLEError) {
    let path = peripheral.path
    let _: Bool? = try await wait(for: operation, until: deadline.within(.seconds(4))) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
    try await pause(delay, until: deadline, for: operation)
  }

  private func gaveUp(_ operation: String) -> BLEError {
    if Task.isCancelled { return BLEError(.cancelled, operation: operation, message: "cancelled") }
    return BLEError(.timedOut, operation: operation, message: "no connection in the time given")
  }

  // MARK: Disconnecting

  func disconnect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) {
    let operation = "disconnect from \(peripheral.address)"
    _ = try device(peripheral, for: operation)
    openedLinks.remove(peripheral.path)
    linkUses[peripheral.path] = nil
    let message = Message(call: "Disconnect", of: BlueZ.device, at: peripheral.path, to: BlueZ.service)
    try await call(message, for: operation, until: deadline)
    try await waitUntilDisconnected(peripheral, until: deadline)
  }

  func waitUntilDisconnected(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) {
    let operation = "wait for the end of the link to \(peripheral.address)"
    let path = peripheral.path
    let isOver: Bool? = try await wait(for: operation, until: deadline) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
    if isOver == nil { throw BLEError(.timedOut, operation: operation, message: "still connected") }
  }

  func disconnectLater(_ peripheral: Peripheral) {
    openedLinks.remove(peripheral.path)
    linkUses[peripheral.path] = nil
    postDisconnect(peripheral.path)
  }

  func keepLink(of peripheral: Peripheral) { openedLinks.remove(peripheral.path) }

  private func postDisconnect(_ path: String) {
    connection.post(Message(call: "Disconnect", of: BlueZ.device, at: path, to: BlueZ.service))
  }

  // MARK: The end

  /// Stops scanning and notifications, closes the links that were opened here, and leaves the bus.
  ///
  /// Nothing is waited for but the writing of these messages (half a second at most). The manager cannot be used
  /// afterwards.
  public func close() {
    for (path, session) in notifySessions { stopNotifying(path, session) }
    for (path, session) in discoveries where session.isRunning {
      connection.post(Message(call: "StopDiscovery", of: BlueZ.adapter, at: path, to: BlueZ.service))
    }
    postUnregisterMonitors()
    for path in openedLinks.sorted() { postDisconnect(path) }
    connection.assumeIsolated { $0.close() }
    let closed = BLEError(.cancelled, operation: "go on", message: "the manager is closed")
    for scan in scans.values { scan.fail(closed) }
    loseEverything(closed)
  }
}

/// How often a connection is tried, and how long it is waited in between.
struct LinkAttempt {
  private var failures = 0
  private var hasRetriedForServices = false

  /// 0.25 s, doubled each time, up to 1 s.
  mutating func nextDelay() -> Duration {
    failures += 1
    return min(.milliseconds(250 * (1 << min(failures - 1, 4))), .seconds(1))
  }

  /// Once.
  mutating func mayRetryForServices() -> Bool {
    defer { hasRetriedForServices = true }
    return !hasRetriedForServices
  }
}

extension BLEError {
  /// Whether connecting may well succeed when it is tried again.
  var isTransient: Bool {
    switch code {
    case .connectionFailed, .disconnected, .busy: true
    case .failed:
      [
        "Operation already in progress", "Input/output error", "Software caused connection abort",
        "Host is down",
      ]
      .contains(message)
    default: false
    }
  }
}
