// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension DeviceSession {
  /// How long BlueZ takes to end a link after Disconnect: 2 s, and a margin for the radio.
  private static let timeToClose = Duration.milliseconds(2800)
  /// How long bluetoothd may take to reply to what it does at once.
  private static let timeToReply = Duration.milliseconds(500)
  /// How long a release waits for a busy bluetoothd in all, so that a command ends within 2 s.
  static let timeToRelease = Duration.milliseconds(1500)
  /// How long a release waits for writes without response that are on their way.
  private static let timeToConfirm = Duration.seconds(1)

  // MARK: Waiting

  /// Waits until there is no link.
  ///
  /// - Returns: whether the link has ended; false when the deadline came first.
  func waitForEnd(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let path = path
    let isOver: Bool? = try await central.wait(for: operation) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
    return isOver == true
  }

  func waitUntilDisconnected(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    if try await waitForEnd(operation, in: central) { return }
    throw operation.error(.timedOut, "still connected")
  }

  /// Waits for the end of a link that is being closed; returns at once when it is not.
  ///
  /// Disconnect, by any program, only starts a timer of 2 s, which no property shows. StartNotify reveals it: while the
  /// timer runs, BlueZ refuses it with NotConnected before it looks at anything else. On a characteristic that cannot
  /// notify the answer is NotSupported otherwise, and nothing is sent to the device. Without such a characteristic, the
  /// time of the timer has to pass, since the link may be about to end.
  ///
  /// - Throws: ``BLEError`` with code `timedOut`, when the link is still being closed at the deadline, or may be.
  func waitIfClosing(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    var limit = operation.within(DeviceSession.timeToClose)
    let probe = central.model.characteristics(of: path).first {
      $0.properties.isDisjoint(with: [.notify, .indicate])
    }
    if let probe {
      guard try await isRefusedAsDisconnecting(probe.path, operation, in: central) else { return }
      limit = operation
    }
    guard try await !waitForEnd(limit, in: central), operation.deadline.isOver else { return }
    throw operation.error(.timedOut, "a link that was being closed had not ended when the time was over")
  }

  /// How long a device may take to prove that its link stands; other requests may be before ours.
  private static let timeToProve = Duration.seconds(1)

  /// Lets the device prove that its link still stands, or waits for the end.
  ///
  /// When BlueZ's 2 s are over, nothing shows that the link ends, for as long as the radio takes. The configuration of
  /// notifications is read, which needs no pairing and has no effect; an error of the device proves as much. A device
  /// without one is believed, and so is one that takes long, unless the deadline comes first.
  func requireAnswer(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    guard central.isConnected(path), let configuration = configuration(in: central) else { return }
    do {
      _ = try await configuration.read(operation.within(DeviceSession.timeToProve), in: central)
    } catch {
      switch error.code {
      case .cancelled, .serviceUnavailable, .busUnavailable: throw error
      case .timedOut where operation.deadline.isOver: throw error
      default: break
      }
    }
  }

  private func isRefusedAsDisconnecting(
    _ characteristicPath: String, _ operation: Operation,
    in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    do {
      let message = Message(
        call: "StartNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service)
      try await central.call(message, for: operation)
      central.connection.post(
        Message(call: "StopNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service))
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

  func disconnect(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    _ = try central.device(path, for: operation.name)
    // It ends a connection that is being made, which then leaves the lock itself.
    let isAlone = !isConnecting
    if isAlone {
      try await linkTurns.take(for: operation, on: central.loop, orFailWith: "the link is still being closed")
    }
    defer { if isAlone { linkTurns.release() } }
    try? await confirmCommands(operation, in: central)
    released()
    defer { if isAlone { lock.abandon() } }
    try await central.call(message("Disconnect"), for: operation)
    try await waitUntilDisconnected(operation, in: central)
  }

  /// Calls Disconnect, and returns when bluetoothd has begun it; it takes 2 s to finish.
  func postDisconnect(in central: isolated CentralManager) async {
    central.connection.post(message("Disconnect"))
    await settle(until: Deadline(after: DeviceSession.timeToReply), in: central)
  }

  /// Waits until bluetoothd has seen everything that was sent, and answered each StopNotify, so that its properties show
  /// it; also when the task was cancelled.
  private func settle(until deadline: Deadline, in central: isolated CentralManager) async {
    await central.inBackground { [path] central in
      let operation = Operation("disconnect", until: deadline)
      try? await central.deviceSession(path).passBarrier(operation, in: central)
      // Before the barrier, a StartNotify may have succeeded late, and was then stopped.
      let _: Bool?? = try? await central.wait(for: operation) { [weak central] _ in
        central?.assumeIsolated { $0.isStoppingNotifications(of: path) } == true ? nil : .success(true)
      }
    }.value
  }

  // MARK: Releasing

  /// Stops using the link, and closes it when this library opened it and nobody else uses it; also when the task was
  /// cancelled.
  ///
  /// - Parameters:
  ///   - limit: how long to wait until other tasks have opened or closed the link; nil is without limit.
  ///   - central: the manager.
  func release(within limit: Duration? = nil, in central: isolated CentralManager) async {
    nonisolated(unsafe) let turns = linkTurns  // which the manager's thread alone uses
    let hasTurn = Promise<Bool>()
    await central.inBackground { central in
      hasTurn.fulfil(await turns.take(until: Deadline(after: limit), on: central.loop))
    }.value
    let mayRelease = await hasTurn.value
    if use == .held { await releaseInTurn(in: central) }
    if mayRelease { turns.release() }
  }

  /// Does so in the turn of the task.
  ///
  /// - Returns: whether it is being closed.
  @discardableResult
  func releaseInTurn(in central: isolated CentralManager) async -> Bool {
    let deadline = Deadline(after: DeviceSession.timeToRelease)
    try? await confirmCommands(
      Operation("finish the writes", timeout: DeviceSession.timeToConfirm), in: central)
    // Their `Notifying` would look like that of another program.
    for attribute in central.attributes(of: self) { attribute.linkReleased(in: central) }
    let ours = acquired
    released()
    return await leaveLock(except: ours, until: deadline, in: central)
  }

  /// Leaves the users of the link, and closes it if a program of this library opened it and no other one uses it, or
  /// waits for it.
  ///
  /// - Parameters:
  ///   - ours: the characteristics whose sockets were this manager's.
  ///   - deadline: until when to wait for bluetoothd.
  ///   - central: the manager.
  /// - Returns: whether it is being closed.
  @discardableResult
  func leaveLock(
    except ours: Set<String> = [], until deadline: Deadline = Deadline(after: DeviceSession.timeToRelease),
    in central: isolated CentralManager
  ) async -> Bool {
    if !central.isConnected(path) { lock.linkEnded() }
    guard case .last(let isOurs) = lock.leave() else {
      if central.isConnected(path) {
        central.logger.info("the link to \(name(in: central)) stays open: another command uses it")
      }
      return false
    }
    defer { lock.unlock() }
    guard isOurs, central.isConnected(path) else { return false }
    await settle(until: deadline, in: central)
    if isUsedByOthers(except: ours, in: central) {
      central.logger.info("the link to \(name(in: central)) stays open: another program has notifications on")
      return false
    }
    await postDisconnect(in: central)
    return true
  }

  private func name(in central: isolated CentralManager) -> String {
    central.model.devices[path]?.address.map { "\($0)" } ?? path
  }

  /// Whether a property shows that another program uses the link: notifications that are on, or a socket.
  ///
  /// Our own notifications seem to be on until bluetoothd has answered StopNotify. Where it has not, those that were on
  /// before ours are another program's.
  private func isUsedByOthers(except ours: Set<String>, in central: isolated CentralManager) -> Bool {
    central.model.characteristics(of: path).contains { characteristic in
      let session = central.attributeSessions[characteristic.path]
      let isShown = session.map { $0.stopsUnderWay == 0 || $0.hadOtherSubscribers } ?? true
      return characteristic.isNotifying && isShown
        || (characteristic.isNotifyAcquired || characteristic.isWriteAcquired)
          && !ours.contains(characteristic.path)
    }
  }
}
