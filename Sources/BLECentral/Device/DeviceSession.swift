// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A device's link, bond and pending writes without response; confined to the manager.
///
/// Lives until bluetoothd ends, since commands that were lost with a link are reported later.
final class DeviceSession {
  /// Whether BlueZ is made to forget the device with its stalled link.
  enum Forgetting {
    case no
    /// With the end of the link.
    case due
    /// BlueZ was asked to.
    case asked
    /// The device must be heard again before the next link.
    case done
  }

  let path: String
  var link = LinkStateMachine()
  var bond = BondState()
  var commands = SentCommands()
  var requests = OpenRequests()
  var forgetting = Forgetting.no
  /// Whether BlueZ had services of an earlier link when this one was opened or joined.
  var hadServices = false
  /// How many requests wait for the replacement of a stalled link.
  var renewals = 0
  /// The characteristics whose sockets this manager acquired over the link.
  var acquired: Set<String> = []
  /// Serializes the operations that open, join or close the link.
  let linkTurns = AsyncMutex()
  let lock: LinkLock

  /// How long the reason may follow the loss of a link: BlueZ reports first the loss, then the adapter's end.
  static let reasonTime = Duration.milliseconds(300)
  /// How long BlueZ may take to answer the requests that a lost link interrupted.
  private static let timeToAnswer = Duration.milliseconds(200)
  static let linkWasLost = "the link was lost"

  init(path: String, lock: LinkLock) {
    self.path = path
    self.lock = lock
  }

  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.device, at: path, to: BlueZ.service)
  }

  // MARK: Connecting

  func nextStep(in central: isolated CentralManager) -> LinkStateMachine.Step {
    let shown = central.model.devices[path]
    return link.nextStep(
      isConnected: shown?.isConnected == true, areServicesKnown: shown?.isResolved == true)
  }

  // MARK: The end of the link

  /// Notes that the manager stops using the link; the caller decides about the lock.
  func released() {
    link.release()
    requests.linkReplaced()
    acquired = []
    commands.abandon()
  }

  /// Notes that the link ended by itself, at an instant; nil if the device disappeared with it.
  func lost(at instant: ContinuousClock.Instant?) {
    acquired = []
    commands.linkLost()
    lock.linkEnded()
    if link.ended(at: instant) { lock.abandon() }
  }

  /// Why the last link ended.
  func linkEnd(in model: ObjectModel) -> LinkEndReason {
    let isReported = model.adapters[BlueZ.adapterPath(ofDevice: path)]?.reportsLinkEnds == true
    return model.devices[path]?.linkEnd ?? (isReported ? .unknown : .unreported)
  }

  /// The error of an operation on the lost link, with BlueZ's reason.
  func loss(during action: BLEError.Action, in central: isolated CentralManager) -> BLEError {
    var error = BLEError(.disconnected, during: action, DeviceSession.linkWasLost)
    error.linkEnd = linkEnd(in: central.model)
    if let reason = error.linkEnd?.explanation { error.message += ": \(reason)" }
    return error
  }

  /// Ends everything that depends on the link, including requests that BlueZ forgets to answer.
  func linkLost(in central: isolated CentralManager) {
    lost(at: LoopClock.now)
    forget(in: central)
    for attribute in central.sessions.attributes(of: self) { attribute.linkLost(in: central) }
    _ = central.loop.schedule(at: LoopClock.now + DeviceSession.timeToAnswer) { [path] in
      guard central.model.devices[path]?.isConnected == false else { return }
      for service in central.model.services.values where service.devicePath == path {
        central.client.abandonCalls(under: service.path, DeviceSession.linkWasLost)
      }
    }
  }

  func deviceRemoved(in central: isolated CentralManager) {
    lost(at: nil)
    if forgetting == .asked { forgetting = .done }
    for attribute in central.sessions.attributes(of: self) {
      attribute.endNotifications(in: central)
      central.sessions.attributes[attribute.path] = nil
    }
  }

  /// Waits until there is no link; returns false if the deadline came first.
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

  /// Throws the reason if there is no link: never opened, lost, or its adapter is off or gone.
  func requireLink(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    if central.outage == nil, central.isConnected(path) { return }
    throw await FailureExplainer(self, operation).reasonOfNoLink(in: central)
  }
}

extension CentralManager {
  /// Returns the device in the model; throws ``BLEError`` when BlueZ forgot it or is away, or its adapter is off or gone.
  func device(_ path: String, for action: BLEError.Action) throws(BLEError) -> DeviceState {
    if let outage { throw outage.during(action) }
    model.devices.load(path)
    if let device = model.devices[path] { return device }
    try requireRadio(BlueZ.adapterPath(ofDevice: path), for: action)
    throw BLEError(.notFound, during: action, "BlueZ has forgotten the device")
  }

  /// Throws if an adapter is off or gone, or BlueZ is away.
  func requireRadio(_ adapterPath: String, for action: BLEError.Action) throws(BLEError) {
    if let outage { throw outage.during(action) }
    if let adapter = model.adapters[adapterPath] { return try adapter.requirePower(for: action) }
    _ = try knownAdapter(for: action)
    // Another adapter exists, but it is not the one in use.
    throw BLEError(
      .noAdapter, during: action, "the adapter \(BlueZ.adapterName(ofPath: adapterPath)) is gone")
  }

  func isConnected(_ devicePath: String) -> Bool { model.devices[devicePath]?.isConnected == true }
}

extension DeviceState {
  func requireNotBlocked(_ operation: Operation) throws(BLEError) {
    if isBlocked { throw operation.error(.deviceBlocked, "the device is blocked") }
  }
}
