// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A device's link, bond and pending writes without response; confined to the manager.
///
/// Lives until bluetoothd ends, since commands that were lost with a link are reported later.
final class DeviceSession {
  /// The progress of removing the device from BlueZ with its stalled link.
  enum Forgetting {
    case no
    /// BlueZ forgets the device when the link ends.
    case due
    /// BlueZ was asked to.
    case asked
    /// The device must be heard again before the next link.
    case done
  }

  unowned let core: CentralCore
  let path: String
  var link = LinkStateMachine()
  var bond = BondState()
  var commands = SentCommands()
  var requests = OpenRequests()
  var forgetting = Forgetting.no
  /// True if BlueZ had services of an earlier link when this one was opened or joined.
  var hadServices = false
  /// The number of times BlueZ has removed the device.
  private(set) var removals = 0
  /// The number of requests that wait for the replacement of a stalled link.
  var renewals = 0
  /// The characteristics whose sockets this manager acquired over the link.
  var acquired: Set<String> = []
  /// Runs until the next call that closes the link, after one that BlueZ refused.
  var closingTimer: TimerID?
  /// Serializes the operations that open, join or close the link.
  let linkTurns = AsyncMutex()
  let lock: LinkLock

  /// The maximum delay between the loss of a link and its reason.
  ///
  /// BlueZ reports first the loss, then the adapter's end.
  static let reasonTime = Duration.milliseconds(300)
  /// The time limit for BlueZ to answer the requests that a lost link interrupted.
  private static let timeToAnswer = Duration.milliseconds(200)
  static let linkWasLost = "the link was lost"

  init(path: String, lock: LinkLock, core: CentralCore) {
    self.core = core
    self.path = path
    self.lock = lock
  }

  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.device, at: path, to: BlueZ.service)
  }

  // MARK: Connecting

  func nextStep() -> LinkStateMachine.Step {
    let shown = core.client.model.devices[path]
    return link.nextStep(
      isConnected: shown?.isConnected == true, areServicesKnown: shown?.isResolved == true)
  }

  // MARK: The end of the link

  /// Handles the manager's release of the link.
  ///
  /// The caller decides about the lock.
  func released() {
    link.release()
    requests.linkReplaced()
    acquired = []
    commands.abandon()
  }

  /// Handles the loss of the link at an instant; nil if the device disappeared with it.
  func lost(at instant: ContinuousClock.Instant?) {
    acquired = []
    commands.linkLost()
    lock.linkEnded()
    // It may have remained a user only to close the link.
    let isWaitingToClose = closingTimer != nil && !link.isHeld && !link.isConnecting
    if let closingTimer { core.loop.cancel(closingTimer) }
    closingTimer = nil
    if link.ended(at: instant) || isWaitingToClose { lock.abandon() }
  }

  /// Returns the reason for the end of the last link.
  func linkEnd(in model: ObjectModel) -> LinkEndReason {
    let isReported = model.adapters[BlueZ.adapterPath(ofDevice: path)]?.reportsLinkEnds == true
    return model.devices[path]?.linkEnd ?? (isReported ? .unknown : .unreported)
  }

  /// The error of an operation on the lost link, with BlueZ's reason.
  func loss(during action: BLEError.Action) -> BLEError {
    var error = BLEError(.disconnected, during: action, DeviceSession.linkWasLost)
    error.linkEnd = linkEnd(in: core.client.model)
    if let reason = error.linkEnd?.explanation { error.message += ": \(reason)" }
    return error
  }

  /// Ends everything that depends on the link, including requests that BlueZ forgets to answer.
  func linkLost() {
    lost(at: LoopClock.now)
    forget()
    for attribute in core.sessions.attributes(of: self) { attribute.linkLost() }
    _ = core.loop.schedule(at: LoopClock.now + DeviceSession.timeToAnswer) { [weak core, path] in
      guard let core, core.client.model.devices[path]?.isConnected == false else { return }
      for service in core.client.model.services.values where service.devicePath == path {
        core.client.abandonCalls(under: service.path, DeviceSession.linkWasLost)
      }
    }
  }

  func deviceRemoved() {
    lost(at: nil)
    removals += 1
    if forgetting == .asked { forgetting = .done }
    for attribute in core.sessions.attributes(of: self) {
      attribute.endNotifications()
      core.sessions.attributes[attribute.path] = nil
    }
  }

  /// Waits until there is no link; returns false if the deadline came first.
  func waitForEnd(
    _ operation: Operation
  ) async throws(BLEError) -> Bool {
    let path = path
    let isOver: Bool? = try await core.wait(for: operation) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
    return isOver == true
  }

  // MARK: Requiring a link

  /// Throws the reason if there is no link: never opened, lost, or its adapter is off or gone.
  func requireLink(_ operation: Operation) async throws(BLEError) {
    if core.outage == nil, core.isConnected(path) { return }
    throw await FailureExplainer(self, operation).reasonOfNoLink()
  }
}

extension DeviceState {
  func requireNotBlocked(_ operation: Operation) throws(BLEError) {
    if isBlocked { throw operation.error(.deviceBlocked, "the device is blocked") }
  }
}
