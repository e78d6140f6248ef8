// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Closes the link to one device, or leaves it to its other users.
struct LinkCloser {
  let device: DeviceSession

  /// The time limit for bluetoothd's replies to calls that it executes at once.
  private static let timeToReply = Duration.milliseconds(500)
  /// The total time that a release waits for a busy bluetoothd, so that a command ends within 2 s.
  private static let timeToRelease = Duration.milliseconds(1500)
  /// The time limit for pending writes without response when a link is released.
  private static let timeToConfirm = Duration.seconds(1)
  /// The time for which the notifications of an ending program may still show after it has left the link.
  private static let timeToVanish = Duration.milliseconds(300)
  /// The time for which Disconnect is called again if the caller waits to hear that it was refused.
  private static let timeToInsist = Duration.seconds(5)

  private var core: CentralCore { device.core }
  private var path: String { device.path }

  // MARK: Disconnecting

  /// Closes the link, even if others use it, and waits for its end.
  func disconnect(_ operation: Operation) async throws(BLEError) {
    _ = try core.device(path, for: operation.action)
    // Disconnect also ends an attempt to connect, which then leaves the lock itself.
    let isAlone = !device.link.isConnecting
    if isAlone {
      do throws(BLEError) {
        try await device.linkTurns.take(
          for: operation, on: core.loop, orFailWith: "the link is still being closed")
      } catch {
        throw error.code == .timedOut ? error.advising(.tryAgain) : error
      }
    }
    defer { if isAlone { device.linkTurns.release() } }
    await confirmWrites(operation)
    device.released()
    defer { if isAlone { device.lock.abandon() } }
    try await callDisconnect(operation)
    try await LinkWaits(device: device, operation: operation).waitUntilDisconnected()
  }

  /// Waits for pending writes without response; not over a stalled link, which a request would replace.
  private func confirmWrites(_ operation: Operation) async {
    guard !device.requests.isStalled else { return }
    try? await WriteConfirmation(device: device).confirm(operation)
  }

  /// Calls Disconnect; for a moment again and again, if bluetoothd refuses, since nobody else would close the link.
  private func callDisconnect(_ operation: Operation) async throws(BLEError) {
    let limit = operation.within(LinkCloser.timeToInsist)
    // Of this call alone: the manager does not go on to close the link if it fails.
    var closing = LinkClosing(longestPause: .seconds(1))
    while true {
      do throws(BLEError) {
        try await core.client.call(device.message("Disconnect"), for: operation)
        return
      } catch {
        guard error.isRefusalToClose, core.isConnected(path),
          case .again(let pause) = closing.refused(left: limit.deadline.remaining)
        else { throw error }
        core.logger.debug("cannot \(operation.action) for the moment: \(error.message)")
        try await core.pause(pause, for: limit)
      }
    }
  }

  /// Calls Disconnect, and returns when bluetoothd started it; it takes 2 s to finish.
  ///
  /// While bluetoothd refuses, it is called again after pauses, until the deadline.
  ///
  /// - Returns: the next pause, if there is still a link that bluetoothd refuses to close; nil if it closes it.
  @discardableResult
  func postDisconnect(
    until deadline: Deadline = Deadline(after: LinkCloser.timeToRelease)
  ) async -> Duration? {
    if let timer = device.closingTimer { core.loop.cancel(timer) }
    device.closingTimer = nil
    device.link.closing.begin()
    // An attempt to connect that was ended leaves nothing to close.
    defer { if !core.isConnected(path) { device.link.closing.end() } }
    while device.link.closing.isWanted, await isDisconnectRefused() {
      switch device.link.closing.refused(left: deadline.remaining) {
      case .again(let pause):
        core.logger.debug("\(path): bluetoothd refuses to close the link, once more in \(pause)")
        await core.inBackground { [core] in
          _ = try? await core.pause(pause, for: Operation(.releaseLink, until: deadline))
        }.value
      case .later(let pause):
        core.logger.debug("\(path): bluetoothd refuses to close the link, later once more")
        return core.isConnected(path) ? pause : nil
      }
    }
    return nil
  }

  /// The state of a call of Disconnect.
  private final class DisconnectCall {
    enum State {
      /// A task waits for a refusal.
      case awaited
      case refused
      /// The task went on: a refusal comes late.
      case left
    }

    var state = State.awaited
  }

  /// Calls Disconnect once, and returns whether bluetoothd refused at once; it answers otherwise when the link has ended.
  private func isDisconnectRefused() async -> Bool {
    let call = DisconnectCall()
    let answered = core.loop.confined { [weak device] (outcome: Result<Message, DBusError>) in
      guard case .failure(let error) = outcome, error.origin == .reply, let device,
        device.core.client.reason(of: error, for: .releaseLink).isRefusalToClose
      else { return }
      guard case .left = call.state else { return call.state = .refused }
      LinkCloser(device: device).wasRefusedLate()
    }
    core.client.begin(device.message("Disconnect"), timeout: nil, observer: answered)
    await settle(until: Deadline(after: LinkCloser.timeToReply))
    if case .refused = call.state { return true }
    call.state = .left
    return false
  }

  /// Handles the refusal of a bluetoothd that was too busy to refuse at once.
  func wasRefusedLate() {
    guard core.sessions.devices[path] === device, device.link.closing.isWanted, core.isConnected(path),
      case .later(let pause) = device.link.closing.refused(left: nil)
    else { return }
    // Another program closes it, and hears itself whether that is refused.
    guard device.lock.enter() != .busy else { return giveUpClosing() }
    device.lock.mark(isOurs: true)
    closeLater(pause)
  }

  /// Closes the link after a pause, unless it is used again by then.
  ///
  /// Meanwhile this manager remains one of its users: programs that join the link close it in the end.
  private func closeLater(_ pause: Duration) {
    device.closingTimer = core.loop.schedule(at: LoopClock.now + pause) { [weak device] in
      guard let device, device.core.sessions.devices[device.path] === device else { return }
      device.closingTimer = nil
      device.core.inBackground { await LinkCloser(device: device).closeAgain() }
    }
  }

  private func closeAgain() async {
    guard await device.linkTurns.take(until: .never, on: core.loop) else { return }
    defer { device.linkTurns.release() }
    guard device.link.closing.isWanted else {
      // It has ended, unless a task of this manager uses it again.
      if !device.link.isHeld { device.lock.abandon() }
      return
    }
    // Otherwise another task has begun to close it.
    guard device.lock.isEntered else { return }
    if await !leaveLock() { giveUpClosing() }
  }

  private func giveUpClosing() {
    device.link.closing.end()
    core.evaluateConditions()
  }

  /// Waits until bluetoothd's properties are up to date: all messages processed, each StopNotify answered.
  private func settle(until deadline: Deadline) async {
    await core.inBackground { [core, device, path] in
      let operation = Operation(.releaseLink, until: deadline)
      try? await LinkWaits(device: device, operation: operation).passBarrier()
      // Before the barrier, a StartNotify may have succeeded late, and was then stopped.
      let _: Bool?? = try? await core.wait(for: operation) { _ in
        core.sessions.isStoppingNotifications(of: path) ? nil : .success(true)
      }
    }.value
  }

  // MARK: Releasing

  /// Stops using the link, and closes it if this library opened it and no other program uses it.
  ///
  /// Works in a cancelled task. Waits up to `limit` for other tasks to open or close the link; nil sets no
  /// limit.
  ///
  /// - Returns: whether the link is being closed.
  @discardableResult
  func release(within limit: Duration? = nil) async -> Bool {
    guard device.link.isHeld else {
      // No request replaces it any more.
      device.requests.linkReplaced()
      device.lookForEnd()
      return false
    }
    let hasTurn = await core.inBackground { [core, device] in
      await device.linkTurns.take(until: Deadline(after: limit), on: core.loop)
    }.value
    let isClosing = device.link.isHeld ? await releaseInTurn() : false
    if hasTurn { device.linkTurns.release() }
    return isClosing
  }

  /// Does the same in the task's turn; returns whether the link is being closed.
  @discardableResult
  func releaseInTurn() async -> Bool {
    let deadline = Deadline(after: LinkCloser.timeToRelease)
    await confirmWrites(Operation(.confirmWrites(nil), timeout: LinkCloser.timeToConfirm))
    // Otherwise their `Notifying` would look like another program's.
    for attribute in core.sessions.attributes(of: device) { attribute.linkReleased() }
    let ours = device.acquired
    device.released()
    let isClosing = await leaveLock(except: ours, until: deadline)
    if device.forgetting == .due { device.forgetting = .no }  // others keep the link
    return isClosing
  }

  /// Leaves the users of the link, and closes it if this library opened it and no program uses it or waits
  /// for it.
  ///
  /// - Parameters:
  ///   - ours: the characteristics whose sockets were this manager's.
  ///   - deadline: until when to wait for bluetoothd.
  /// - Returns: whether the link is being closed.
  @discardableResult
  func leaveLock(
    except ours: Set<String> = [], until deadline: Deadline = Deadline(after: LinkCloser.timeToRelease)
  ) async -> Bool {
    let lock = device.lock
    // The last one to leave takes what still shows as notifying for another program's.
    if core.sessions.isStoppingNotifications(of: path) { await settle(until: deadline) }
    if !core.isConnected(path) { lock.linkEnded() }
    guard case .last(let isOurs) = lock.leave() else {
      if core.isConnected(path) {
        core.logger.info("the link to \(name()) stays open: another command uses it")
      }
      return false
    }
    var nextCall: Duration?
    defer {
      if let nextCall {
        lock.stay()
        closeLater(nextCall)
      } else {
        lock.unlock()
      }
    }
    guard isOurs, core.isConnected(path) else { return false }
    await settle(until: deadline)
    if await isUsedByOthers(except: ours, until: deadline) {
      core.logger.info("the link to \(name()) stays open: another program has notifications on")
      return false
    }
    if device.forgetting == .due {
      device.link.closing.begin()
      device.forget()
    } else {
      nextCall = await postDisconnect(until: deadline)
    }
    return true
  }

  private func name() -> String {
    core.client.model.devices[path]?.address.map { "\($0)" } ?? path
  }

  /// Returns whether notifications that are on, or a socket, show that another program uses the link, and go
  /// on to do so for a moment: those of a program that has just ended go off by themselves.
  private func isUsedByOthers(
    except ours: Set<String>, until deadline: Deadline
  ) async -> Bool {
    await core.inBackground { [self] in
      let operation = Operation(.releaseLink, until: deadline.within(LinkCloser.timeToVanish))
      let _: Bool?? = try? await core.wait(for: operation) { _ in isInUse(except: ours) ? nil : .success(true)
      }
    }.value
    return isInUse(except: ours)
  }

  /// Returns whether notifications that are on, or a socket, show that another program uses a link.
  ///
  /// Our own notifications seem to be on until bluetoothd answered StopNotify. If it did not, those that were
  /// on before ours count as another program's.
  private func isInUse(except ours: Set<String>) -> Bool {
    core.client.model.characteristics(of: path).contains { characteristic in
      let session = core.sessions.attributes[characteristic.path]
      let isShown = session.map { $0.stopsUnderWay == 0 || $0.hadForeignSubscribers } ?? true
      return characteristic.isNotifying && isShown
        || (characteristic.isNotifyAcquired || characteristic.isWriteAcquired)
          && !ours.contains(characteristic.path)
    }
  }
}

extension BLEError {
  /// True if bluetoothd refused to close a link that it may close when it is asked again.
  var isRefusalToClose: Bool {
    cause != nil && [.busy, .failed, .timedOut, .connectionFailed].contains(code)
  }
}
