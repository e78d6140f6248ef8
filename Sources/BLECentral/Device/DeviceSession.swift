// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// What the manager does with one device: the state of its link and of its bond, and the writes without response on
/// their way.
///
/// Lives from its first use until bluetoothd ends, since commands that a lost link took with it are reported later.
/// Confined to the manager, which passes itself to what calls BlueZ.
final class DeviceSession {
  let path: String
  var link = LinkStateMachine()
  var bond = BondState()
  var commands = SentCommands()
  /// The characteristics whose sockets this manager has acquired over the link.
  var acquired: Set<String> = []
  /// The turns of what opens, joins or closes the link.
  let linkTurns = AsyncMutex()
  let lock: LinkLock

  /// How long the reason of a lost link may come after the loss: BlueZ reports first that the links are gone, then that
  /// the adapter is off, or is itself gone.
  static let reasonTime = Duration.milliseconds(300)
  /// How long BlueZ may take to answer the requests that a lost link leaves behind.
  private static let timeToAnswer = Duration.milliseconds(200)
  /// The message of errors that the loss of a link causes.
  static let linkWasLost = "the link was lost"

  init(path: String, lock: LinkLock) {
    self.path = path
    self.lock = lock
  }

  /// A call of the device.
  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.device, at: path, to: BlueZ.service)
  }

  // MARK: Connecting

  /// The next step of a task that connects.
  func nextStep(in central: isolated CentralManager) -> LinkStateMachine.Step {
    let shown = central.model.devices[path]
    return link.nextStep(
      isConnected: shown?.isConnected == true, areServicesKnown: shown?.isResolved == true)
  }

  // MARK: The end of the link

  /// The manager stops using the link; the caller decides about the lock.
  func released() {
    link.release()
    acquired = []
    commands.abandon()
  }

  /// The link has ended, and not because of this manager.
  ///
  /// - Parameter instant: when it ended; nil when the device is gone with it.
  func lost(at instant: ContinuousClock.Instant?) {
    acquired = []
    commands.linkLost()
    lock.linkEnded()
    if link.ended(at: instant) { lock.abandon() }
  }

  /// Ends what depends on the link.
  ///
  /// BlueZ mostly answers pending requests itself; those that it forgets end here.
  func linkLost(in central: isolated CentralManager) {
    lost(at: LoopClock.now)
    for attribute in central.sessions.attributes(of: self) { attribute.linkLost(in: central) }
    _ = central.loop.schedule(at: LoopClock.now + DeviceSession.timeToAnswer) { [path] in
      guard central.model.devices[path]?.isConnected == false else { return }
      for service in central.model.services.values where service.devicePath == path {
        central.client.abandonCalls(under: service.path, DeviceSession.linkWasLost)
      }
    }
  }

  /// Ends what depends on the device.
  func deviceRemoved(in central: isolated CentralManager) {
    lost(at: nil)
    for attribute in central.sessions.attributes(of: self) {
      attribute.endNotifications(in: central)
      central.sessions.attributes[attribute.path] = nil
    }
  }

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

  // MARK: Requiring a link

  /// Continues only with a link.
  ///
  /// - Throws: why there is none: it was never opened, it was lost, or its adapter is off or gone.
  func requireLink(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    if central.outage == nil, central.isConnected(path) { return }
    throw await FailureExplainer(self, operation).reasonOfNoLink(in: central)
  }
}

extension CentralManager {
  /// The device in the model.
  ///
  /// - Throws: ``BLEError`` when BlueZ has forgotten it, or is away.
  func device(_ path: String, for action: BLEError.Action) throws(BLEError) -> DeviceState {
    if let outage { throw outage.during(action) }
    model.devices.load(path)
    if let device = model.devices[path] { return device }
    throw BLEError(.notFound, during: action, "BlueZ has forgotten the device")
  }

  func isConnected(_ devicePath: String) -> Bool { model.devices[devicePath]?.isConnected == true }
}

extension DeviceState {
  /// - Throws: ``BLEError`` with code `deviceBlocked`.
  func requireNotBlocked(_ operation: Operation) throws(BLEError) {
    if isBlocked { throw operation.error(.deviceBlocked, "the device is blocked") }
  }
}
