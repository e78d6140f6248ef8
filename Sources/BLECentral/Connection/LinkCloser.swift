// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Closes the link to one device, or leaves it to its other users.
struct LinkCloser {
  let device: DeviceSession

  /// How long bluetoothd may take to reply to calls that it executes at once.
  private static let timeToReply = Duration.milliseconds(500)
  /// How long a release waits for a busy bluetoothd in total, so that a command ends within 2 s.
  private static let timeToRelease = Duration.milliseconds(1500)
  /// How long a release waits for pending writes without response.
  private static let timeToConfirm = Duration.seconds(1)
  /// How long the notifications of a program that ends may still show after it has left the link.
  private static let timeToVanish = Duration.milliseconds(300)

  private var path: String { device.path }

  // MARK: Disconnecting

  /// Closes the link, even if others use it, and waits for its end.
  func disconnect(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    _ = try central.device(path, for: operation.action)
    // Disconnect also ends an attempt to connect, which then leaves the lock itself.
    let isAlone = !device.link.isConnecting
    if isAlone {
      try await device.linkTurns.take(
        for: operation, on: central.loop, orFailWith: "the link is still being closed")
    }
    defer { if isAlone { device.linkTurns.release() } }
    await confirmWrites(operation, in: central)
    device.released()
    defer { if isAlone { device.lock.abandon() } }
    try await central.client.call(device.message("Disconnect"), for: operation)
    try await LinkWaits(device: device, operation: operation).waitUntilDisconnected(in: central)
  }

  /// Waits for pending writes without response; not over a stalled link, which a request would replace.
  private func confirmWrites(_ operation: Operation, in central: isolated CentralManager) async {
    guard !device.requests.isStalled else { return }
    try? await WriteConfirmation(device: device).confirm(operation, in: central)
  }

  /// Calls Disconnect, and returns when bluetoothd started it; it takes 2 s to finish.
  func postDisconnect(in central: isolated CentralManager) async {
    central.connection.post(device.message("Disconnect"))
    await settle(until: Deadline(after: LinkCloser.timeToReply), in: central)
  }

  /// Waits until bluetoothd's properties are up to date: all messages processed, each StopNotify answered.
  private func settle(until deadline: Deadline, in central: isolated CentralManager) async {
    await central.inBackground { [path] central in
      let operation = Operation(.releaseLink, until: deadline)
      try? await LinkWaits(device: central.sessions.device(path), operation: operation).passBarrier(
        in: central)
      // Before the barrier, a StartNotify may have succeeded late, and was then stopped.
      let _: Bool?? = try? await central.wait(for: operation) { [weak central] _ in
        central?.assumeIsolated { $0.sessions.isStoppingNotifications(of: path) } == true
          ? nil : .success(true)
      }
    }.value
  }

  // MARK: Releasing

  /// Stops using the link, and closes it if this library opened it and no other program uses it.
  ///
  /// Works in a cancelled task. Waits up to `limit` for other tasks to open or close the link; nil sets no
  /// limit.
  func release(within limit: Duration? = nil, in central: isolated CentralManager) async {
    guard device.link.isHeld else {
      // No request replaces it any more.
      device.requests.linkReplaced()
      return device.lookForEnd(in: central)
    }
    let turns = device.linkTurns  // which the manager's thread alone uses
    let hasTurn = Promise<Bool>()
    await central.inBackground { central in
      hasTurn.fulfil(await turns.take(until: Deadline(after: limit), on: central.loop))
    }.value
    let mayRelease = await hasTurn.value
    if device.link.isHeld { await releaseInTurn(in: central) }
    if mayRelease { turns.release() }
  }

  /// Does the same in the task's turn; returns whether the link is being closed.
  @discardableResult
  func releaseInTurn(in central: isolated CentralManager) async -> Bool {
    let deadline = Deadline(after: LinkCloser.timeToRelease)
    await confirmWrites(Operation(.confirmWrites(nil), timeout: LinkCloser.timeToConfirm), in: central)
    // Otherwise their `Notifying` would look like another program's.
    for attribute in central.sessions.attributes(of: device) { attribute.linkReleased(in: central) }
    let ours = device.acquired
    device.released()
    let isClosing = await leaveLock(except: ours, until: deadline, in: central)
    if device.forgetting == .due { device.forgetting = .no }  // others keep the link
    return isClosing
  }

  /// Leaves the users of the link, and closes it if this library opened it and no program uses it or waits
  /// for it.
  ///
  /// - Parameters:
  ///   - ours: the characteristics whose sockets were this manager's.
  ///   - deadline: until when to wait for bluetoothd.
  ///   - central: the manager.
  /// - Returns: whether the link is being closed.
  @discardableResult
  func leaveLock(
    except ours: Set<String> = [], until deadline: Deadline = Deadline(after: LinkCloser.timeToRelease),
    in central: isolated CentralManager
  ) async -> Bool {
    let lock = device.lock
    // The last one to leave takes what still shows as notifying for another program's.
    if central.sessions.isStoppingNotifications(of: path) { await settle(until: deadline, in: central) }
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
    if await isUsedByOthers(except: ours, until: deadline, in: central) {
      central.logger.info("the link to \(name(in: central)) stays open: another program has notifications on")
      return false
    }
    if device.forgetting == .due { device.forget(in: central) } else { await postDisconnect(in: central) }
    return true
  }

  private func name(in central: isolated CentralManager) -> String {
    central.model.devices[path]?.address.map { "\($0)" } ?? path
  }

  /// Whether notifications that are on, or a socket, show that another program uses the link, and go on to do so for a
  /// moment: those of a program that has just ended go off by themselves.
  private func isUsedByOthers(
    except ours: Set<String>, until deadline: Deadline, in central: isolated CentralManager
  ) async -> Bool {
    await central.inBackground { [path] central in
      let operation = Operation(.releaseLink, until: deadline.within(LinkCloser.timeToVanish))
      let _: Bool?? = try? await central.wait(for: operation) { [weak central] _ in
        central?.assumeIsolated { LinkCloser.isInUse(path, except: ours, in: $0) } == true
          ? nil : .success(true)
      }
    }.value
    return LinkCloser.isInUse(path, except: ours, in: central)
  }

  /// Whether notifications that are on, or a socket, show that another program uses a link.
  ///
  /// Our own notifications seem to be on until bluetoothd answered StopNotify. If it did not, those that were
  /// on before ours count as another program's.
  private static func isInUse(
    _ path: String, except ours: Set<String>, in central: isolated CentralManager
  ) -> Bool {
    central.model.characteristics(of: path).contains { characteristic in
      let session = central.sessions.attributes[characteristic.path]
      let isShown = session.map { $0.stopsUnderWay == 0 || $0.hadForeignSubscribers } ?? true
      return characteristic.isNotifying && isShown
        || (characteristic.isNotifyAcquired || characteristic.isWriteAcquired)
          && !ours.contains(characteristic.path)
    }
  }
}
