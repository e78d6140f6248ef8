// SPDX-License-Identifier: MIT
internal import DBus

/// What the manager does with one device: its use of the link, and the writes without response on their way.
///
/// Lives from its first use until bluetoothd ends, since commands that a lost link took with it are reported later.
/// Confined to the manager, which passes itself to what calls BlueZ.
final class DeviceSession {
  /// How the manager uses the link.
  enum Use {
    /// Not at all.
    case none
    /// It opened or joined the link, and has not closed it.
    case held
    /// It held the link, which then ended by itself.
    case lost
  }

  let path: String
  private(set) var use = Use.none
  /// How the manager came to the link that it holds.
  private(set) var origin = LinkOrigin.joined
  /// When the link was last seen to end.
  private(set) var lastEnd: ContinuousClock.Instant?
  /// Whether BlueZ ended the last link, for whatever program or reason of its own; false before 5.83.
  var isEndedByBlueZ = false
  /// The characteristics whose sockets this manager has acquired over the link.
  var acquired: Set<String> = []
  /// Whether the device was bonded at some time, and was not unpaired by this manager since.
  var wasBonded = false
  var commands = SentCommands()
  /// The turns of what opens, joins or closes the link.
  let linkTurns = SerialQueue()
  /// Whether a task is opening or joining the link.
  var isConnecting = false
  /// Whether BlueZ is asked for a link at this moment.
  var isCallingConnect = false
  let lock: LinkLock

  init(path: String, lock: LinkLock) {
    self.path = path
    self.lock = lock
  }

  /// A call of the device.
  func message(_ member: String) -> Message {
    Message(call: member, of: BlueZ.device, at: path, to: BlueZ.service)
  }

  /// The manager holds the link from now on.
  func held(_ origin: LinkOrigin) {
    use = .held
    self.origin = origin
    isEndedByBlueZ = false
  }

  /// The link has ended, and not because of this manager.
  ///
  /// - Parameter instant: when it ended; nil when the device is gone with it.
  func lost(at instant: ContinuousClock.Instant?) {
    lastEnd = instant
    acquired = []
    commands.linkLost()
    lock.linkEnded()
    guard use == .held else { return }  // a task that waits for the link stays in the lock
    use = .lost
    lock.abandon()
  }

  /// The manager stops using the link; the caller decides about the lock.
  func released() {
    use = .none
    acquired = []
    commands.abandon()
  }
}

extension CentralManager {
  func deviceSession(_ path: String) -> DeviceSession {
    if let session = deviceSessions[path] { return session }
    let session = DeviceSession(
      path: path, lock: LinkLock(bus: connection.assumeIsolated { $0.busID }, device: path))
    deviceSessions[path] = session
    return session
  }

  /// The device in the model.
  ///
  /// - Throws: ``BLEError`` when BlueZ has forgotten it, or is away.
  func device(_ path: String, for operation: String) throws(BLEError) -> DeviceState {
    if let outage { throw outage.during(operation) }
    model.devices.load(path)
    if let device = model.devices[path] { return device }
    throw BLEError(.notFound, operation: operation, message: "BlueZ has forgotten the device")
  }

  func isConnected(_ devicePath: String) -> Bool { model.devices[devicePath]?.isConnected == true }
}
