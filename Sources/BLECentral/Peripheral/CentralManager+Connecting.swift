// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension CentralManager {
  /// How long one attempt may take: the kernel's own, of 40 s, sometimes waits for a device that is there, and a second
  /// one succeeds at once.
  private static let attemptTime = Duration.seconds(8)
  /// How long one may take while others wait for their turn: an adapter makes one connection at a time.
  private static let sharedAttemptTime = Duration.seconds(3)
  /// How long the controller needs for the end of a link after BlueZ has reported it.
  private static let closingTime = Duration.milliseconds(300)

  func connect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) -> LinkOrigin {
    let operation = "connect to \(peripheral.address)"
    var attempt = LinkAttempt()
    while true {
      do {
        guard let origin = try await tryToConnect(peripheral, operation, deadline, &attempt) else { continue }
        return origin
      } catch {
        guard error.isTransient, !deadline.isOver else { throw error }
        logger.debug("connecting to \(peripheral.address) failed for the moment: \(error.message)")
        try await settleAfterFailure(peripheral, attempt.nextDelay(), deadline, operation)
        if deadline.isOver { throw error }
      }
    }
  }

  func link(to devicePath: String) -> DeviceLink {
    if let link = links[devicePath] { return link }
    let link = DeviceLink(
      devicePath: devicePath, lock: LinkLock(bus: connection.assumeIsolated { $0.busID }, device: devicePath))
    links[devicePath] = link
    return link
  }

  /// One attempt: joins the link that is there, or opens one.
  ///
  /// - Returns: nil when things have changed meanwhile, and have to be looked at again.
  private func tryToConnect(
    _ peripheral: Peripheral, _ operation: String, _ deadline: Deadline, _ attempt: inout LinkAttempt
  ) async throws(BLEError) -> LinkOrigin? {
    let device = try device(peripheral, for: operation)
    if model.adapters[device.adapterPath]?.isPowered != true { _ = try poweredAdapter(for: operation) }
    let link = link(to: peripheral.path)
    if device.isConnected, link.use == .held {
      if !device.isResolved { try await waitForServices(peripheral, operation, deadline) }
      return link.origin
    }
    try await enter(link, operation, deadline)
    if model.devices[peripheral.path]?.isConnected == true {
      try await join(link, peripheral, operation, deadline)
      return .joined
    }
    guard try await open(link, peripheral, device.adapterPath, operation, deadline) else { return nil }
    guard tree(of: peripheral.path).isEmpty, attempt.mayRetryForServices() else { return .opened }
    // ServicesResolved without services: their discovery failed, and BlueZ only logs it.
    logger.debug("\(peripheral.address) has no services: connecting once more")
    if await release(link) { try await waitUntilDisconnected(peripheral, until: deadline) }
    return nil
  }

  /// Registers as a user of the link; waits while another program closes it.
  private func enter(_ link: DeviceLink, _ operation: String, _ deadline: Deadline) async throws(BLEError) {
    while link.lock.enter() == .busy {
      if deadline.isOver { throw gaveUp(operation) }
      try await pause(.milliseconds(10), until: deadline, for: operation)
    }
  }

  // MARK: Joining

  /// Uses the link that is there, unless it is being closed.
  ///
  /// - Throws: ``BLEError`` with code `connectionFailed`, once it has ended.
  private func join(
    _ link: DeviceLink, _ peripheral: Peripheral, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) {
    do throws(BLEError) {
      if model.devices[peripheral.path]?.isResolved != true {
        try await waitForServices(peripheral, operation, deadline)
      }
      try await waitIfClosing(peripheral, operation, deadline)
      guard model.devices[peripheral.path]?.isConnected == true else {
        throw BLEError(.connectionFailed, operation: operation, message: "the link was being closed")
      }
      link.held(.joined)
    } catch {
      link.lock.abandon()
      throw error
    }
  }

  // MARK: Opening

  /// Opens a link, then waits for the services, then for a round trip behind which all of them have arrived.
  ///
  /// - Returns: false when somebody else has opened one meanwhile.
  private func open(
    _ link: DeviceLink, _ peripheral: Peripheral, _ adapterPath: String, _ operation: String,
    _ deadline: Deadline
  ) async throws(BLEError) -> Bool {
    await pauseDiscovery(of: adapterPath)
    defer { resumeDiscovery(of: adapterPath) }
    var isOpen = false
    do {
      if let end = link.lastEnd, LoopClock.now - end < CentralManager.closingTime {
        try await pause(CentralManager.closingTime, until: deadline, for: operation)
      }
      guard try await callConnect(peripheral, adapterPath, operation, deadline) else { return false }
      isOpen = true
      link.held(.opened)
      link.lock.mark(isOurs: true)
      try await waitForServices(peripheral, operation, deadline)
      return true
    } catch {
      if isOpen, error.code != .notFound { await giveUp(link) } else { link.lock.abandon() }
      link.released()
      guard error.code == .timedOut else { throw error }
      if deadline.isOver { throw gaveUp(operation) }
      throw BLEError(.connectionFailed, operation: operation, message: "no connection yet")
    }
  }

  /// Calls Connect when it is this device's turn, for a slice of time: others wait for theirs.
  ///
  /// - Returns: false when there is a link already.
  private func callConnect(
    _ peripheral: Peripheral, _ adapterPath: String, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) -> Bool {
    let queue = connectQueues[adapterPath] ?? SerialQueue()
    connectQueues[adapterPath] = queue
    guard await queue.take(until: deadline, on: loop) else { throw gaveUp(operation) }
    defer { queue.release() }
    if model.devices[peripheral.path]?.isConnected == true { return false }
    let slice = queue.hasWaiters ? CentralManager.sharedAttemptTime : CentralManager.attemptTime
    do {
      let connect = Message(call: "Connect", of: BlueZ.device, at: peripheral.path, to: BlueZ.service)
      try await call(connect, for: operation, until: deadline.within(slice))
      return true
    } catch {
      // The kernel goes on trying, and a later success would leave a link that nobody knows of. This is waited for
      // before others have their turn: bluetoothd closes the socket of the attempt but still watches its number, and takes
      // the next socket, of another device, for it.
      let isForeign = error.code == .busy || error.message == "Operation already in progress"
      if !isForeign, error.code != .notFound { await postDisconnect(peripheral.path) }
      throw error
    }
  }

  /// Closes a link whose services did not come, unless others use it.
  private func giveUp(_ link: DeviceLink) async {
    guard case .last = link.lock.leave() else { return }
    await postDisconnect(link.devicePath)
    link.lock.unlock()
  }

  // MARK: Waiting

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

  /// Waits for what bluetoothd sent before: ServicesResolved may overtake the services, but the reply to any call comes
  /// behind all that happened before it.
  func passBarrier(_ path: String, _ operation: String, _ deadline: Deadline) async throws(BLEError) {
    let barrier = Message(call: "Get", of: StandardInterface.properties, at: path, to: BlueZ.service) {
      $0.string(BlueZ.device)
      $0.string("ServicesResolved")
    }
    try await call(barrier, for: operation, until: deadline)
  }

  /// Waits for the rest of a link to go down, and a little longer: BlueZ reports it before the controller is ready.
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
