// SPDX-License-Identifier: MIT
internal import DBus
internal import Logging

extension CentralManager {
  /// How long BlueZ takes for the end of a link after Disconnect, with some margin: 2 s, and what the radio needs.
  private static let timeToClose = Duration.milliseconds(2800)

  /// Waits for the end of a link that is being closed; returns at once when it is not.
  ///
  /// Disconnect, anybody's, only starts a timer of 2 s, and no property shows it. StartNotify does: before anything else
  /// BlueZ refuses it with NotConnected while that timer runs. On a characteristic that cannot notify it is NotSupported
  /// otherwise, and nothing travels over the air. On a device without such a characteristic the time of the timer is
  /// waited for, since its link may be about to end.
  func waitIfClosing(
    _ peripheral: Peripheral, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) {
    let path = peripheral.path
    var limit = deadline.within(CentralManager.timeToClose)
    if let probe = characteristicThatCannotNotify(of: path) {
      guard try await isRefusedAsDisconnecting(probe, operation, deadline) else { return }
      limit = deadline
    }
    let _: Bool? = try await wait(for: operation, until: limit) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
  }

  private func characteristicThatCannotNotify(of devicePath: String) -> String? {
    model.characteristics(of: devicePath).first {
      $0.properties.isDisjoint(with: [.notify, .indicate])
    }?.path
  }

  private func isRefusedAsDisconnecting(
    _ characteristicPath: String, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) -> Bool {
    do {
      let message = Message(
        call: "StartNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service)
      try await call(message, for: operation, until: deadline)
      postStopNotify(characteristicPath)
      return false
    } catch {
      switch error.code {
      case .disconnected: return true
      case .timedOut, .cancelled, .serviceUnavailable, .busUnavailable: throw error
      default: return false
      }
    }
  }

  // MARK: Disconnecting

  func disconnect(_ peripheral: Peripheral, until deadline: Deadline) async throws(BLEError) {
    let operation = "disconnect from \(peripheral.address)"
    _ = try device(peripheral, for: operation)
    let link = link(to: peripheral.path)
    try? await confirmCommands(over: link, operation, deadline)
    link.released()
    defer { link.lock.abandon() }
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

  func keepLink(of peripheral: Peripheral) { links[peripheral.path]?.lock.mark(isOurs: false) }

  /// Calls Disconnect, and returns when bluetoothd has begun with it, which takes it 2 s to finish.
  func postDisconnect(_ path: String) async {
    connection.post(Message(call: "Disconnect", of: BlueZ.device, at: path, to: BlueZ.service))
    // Also in a task that was cancelled.
    await Task(executorPreference: loop) {
      try? await self.passBarrier(path, "disconnect", Deadline(after: CentralManager.timeToReply))
    }.value
  }

  // MARK: Releasing

  /// How long bluetoothd may take to reply to what it does at once; it is waited for at the end of a program.
  private static let timeToReply = Duration.milliseconds(500)
  /// How long writes without response that are still on their way may hold up the end of a program.
  private static let timeToConfirm = Duration.seconds(1)

  func release(_ devicePath: String) async {
    if let link = links[devicePath], link.use == .held { _ = await release(link) }
  }

  /// Stops using a link, and closes it when this library opened it and nobody else uses it.
  ///
  /// - Returns: whether it is being closed.
  func release(_ link: DeviceLink) async -> Bool {
    let path = link.devicePath
    try? await confirmCommands(
      over: link, "finish the writes", Deadline(after: CentralManager.timeToConfirm))
    endNotifications(of: path)
    let ours = link.acquired
    link.released()
    guard case .last(let isOurs) = link.lock.leave() else {
      logger.info("the link to \(deviceName(path)) stays open: another command uses it")
      return false
    }
    defer { link.lock.unlock() }
    guard isOurs, model.devices[path]?.isConnected == true else { return false }
    // StopNotify, sent before, shows in the properties only once bluetoothd has seen it.
    try? await passBarrier(path, "disconnect", Deadline(after: CentralManager.timeToReply))
    if isUsedByOthers(path, except: ours) {
      logger.info("the link to \(deviceName(path)) stays open: another program has notifications on")
      return false
    }
    await postDisconnect(path)
    return true
  }

  /// Ends this manager's own subscriptions to a device: their `Notifying` would look like that of another program.
  private func endNotifications(of devicePath: String) {
    let prefix = devicePath + "/"
    for (path, session) in notifySessions where path.hasPrefix(prefix) {
      notifySessions[path] = nil
      stopNotifying(path, session)
      session.end(.notificationsStopped(.disconnected, "the link was released"))
    }
  }

  private func deviceName(_ path: String) -> String { model.devices[path]?.address.map { "\($0)" } ?? path }

  /// Whether a property shows that a program uses the link: notifications that are on, or a socket.
  private func isUsedByOthers(_ devicePath: String, except ours: Set<String>) -> Bool {
    model.characteristics(of: devicePath).contains { characteristic in
      characteristic.isNotifying
        || (characteristic.isNotifyAcquired || characteristic.isWriteAcquired)
          && !ours.contains(characteristic.path)
    }
  }

  // MARK: The end

  /// Stops scanning and notifications, releases the links that are in use, and leaves the bus.
  ///
  /// A link is closed when this library opened it and nobody else uses it. Writes without response that are still on
  /// their way have a second to get through; the end of the links, which takes BlueZ 2 s, is not waited for. The manager
  /// cannot be used afterwards.
  public func close() async {
    // Also in a task that was cancelled.
    await Task(executorPreference: loop) { await self.shutDown() }.value
  }

  private func shutDown() async {
    for (path, session) in notifySessions { stopNotifying(path, session) }
    for (path, session) in discoveries where session.isRunning {
      connection.post(Message(call: "StopDiscovery", of: BlueZ.adapter, at: path, to: BlueZ.service))
    }
    postUnregisterMonitors()
    let held = links.values.filter { $0.use == .held }.map(\.devicePath).sorted()
    await withTaskGroup(of: Void.self) { group in
      for path in held { group.addTask(executorPreference: loop) { await self.release(path) } }
    }
    leaveBus()
  }

  private func leaveBus() {
    connection.assumeIsolated { $0.close() }
    let closed = BLEError(.cancelled, operation: "go on", message: "the manager is closed")
    for scan in scans.values { scan.fail(closed) }
    loseEverything(closed)
  }
}
