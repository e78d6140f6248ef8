// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// The state of an adapter's discovery, which all active scans share, and which pauses for connections.
///
/// It only decides the next step; ``ActiveScanning`` calls BlueZ, one call at a time.
struct DiscoverySession {
  enum Step: Equatable {
    case setFilter(DiscoveryFilter)
    case start
    case stop
    case nothing
  }

  /// The filter that the scans need; nil without scans.
  var wanted: DiscoveryFilter?
  /// The number of connections being made.
  var pauses = 0
  private(set) var isRunning = false
  private var filterInForce: DiscoveryFilter?
  /// The connection that the session belongs to; nil means the manager's.
  private(set) var bus: Connection?
  /// True if `Discovering` was true at some time since our start.
  private var wasDiscovering = false
  var isStarting = false
  /// The start or stop whose answer is awaited.
  var call: Promise<Result<Message, BLEError>>?
  let queue = AsyncMutex()

  func nextStep() -> Step {
    guard let wanted, pauses == 0 else { return isRunning ? .stop : .nothing }
    if filterInForce != wanted { return .setFilter(wanted) }
    return isRunning ? .nothing : .start
  }

  mutating func filterSet(_ filter: DiscoveryFilter) { filterInForce = filter }

  /// - Parameter isDiscovering: the adapter's `Discovering` now. It may have changed before BlueZ replied, or
  ///   not at all, if another program was scanning.
  mutating func started(isDiscovering: Bool) {
    isRunning = true
    wasDiscovering = isDiscovering
  }

  mutating func stopped() { isRunning = false }

  /// Restarts over another connection: filters and sessions belong to a connection.
  mutating func move(to bus: Connection) {
    self.bus = bus
    isRunning = false
    filterInForce = nil
  }

  /// Follows the adapter's state; returns whether our session was lost, and must be started again.
  ///
  /// That is so if it ended without us: the adapter was switched off, or slept. BlueZ forgets the filters of all clients
  /// when the adapter goes off, even of those that do not scan.
  mutating func observed(isDiscovering: Bool, isPowered: Bool) -> Bool {
    if isDiscovering { wasDiscovering = isRunning }
    let isLost = isRunning && (!isPowered || wasDiscovering && !isDiscovering)
    if isLost || !isPowered {
      isRunning = false
      filterInForce = nil
    }
    return isLost
  }
}
