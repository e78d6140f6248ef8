// SPDX-License-Identifier: MIT

/// What this manager knows of its link to one device.
///
/// Confined to the manager.
final class DeviceLink {
  /// How the manager stands to the link.
  enum Use {
    /// It does not use it.
    case none
    /// It opened or joined it, and has not closed it.
    case held
    /// It held the link, which then ended by itself.
    case lost
  }

  let devicePath: String
  private(set) var use = Use.none
  /// How the manager came to the link that it holds.
  private(set) var origin = LinkOrigin.joined
  /// When the link was last seen to end.
  private(set) var lastEnd: ContinuousClock.Instant?
  /// Characteristics whose sockets this manager has acquired over the link.
  var acquired: Set<String> = []
  let lock: LinkLock

  /// How many writes without response bluetoothd has been given for the device.
  private(set) var commandCount = 0
  /// How many of them need no thought any more: the device has received them, or their loss was reported.
  private var settledCount = 0
  /// How many had been given when a link was last lost.
  private var lostCount = 0

  init(devicePath: String, lock: LinkLock) {
    self.devicePath = devicePath
    self.lock = lock
  }

  /// Whether writes without response may still be on their way, or were lost and nobody knows yet.
  var hasUnconfirmedCommands: Bool { settledCount < commandCount }
  /// Whether a link was lost before the device was known to have received all commands.
  var hasLostCommands: Bool { settledCount < lostCount }

  /// Counts writes without response that bluetoothd has taken.
  func handedOver(_ count: Int) { commandCount += count }

  /// Notes that the device has received the first of the commands.
  ///
  /// - Parameter count: ``commandCount`` when a request was begun that the device has answered: ATT sends a request only
  ///   behind the commands before it.
  func confirm(_ count: Int) { if !hasLostCommands { settledCount = max(settledCount, count) } }

  /// Thinks no more of the commands so far.
  func settleCommands() { settledCount = commandCount }

  /// The manager holds the link from now on.
  func held(_ origin: LinkOrigin) {
    use = .held
    self.origin = origin
  }

  /// The link has ended, and nobody here asked for it.
  func lost(at instant: ContinuousClock.Instant?) {
    if use == .held { use = .lost }
    lastEnd = instant
    lostCount = commandCount
    acquired = []
    lock.abandon()
  }

  /// The manager stops using the link; what becomes of the lock is the caller's business.
  func released() {
    use = .none
    acquired = []
    settleCommands()
  }
}
