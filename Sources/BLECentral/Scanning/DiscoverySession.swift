// SPDX-License-Identifier: MIT
internal import DBus

/// Our one discovery session of an adapter: shared by all scans, paused while a connection is made.
///
/// It only decides; the manager does the calls, one at a time.
struct DiscoverySession {
  /// What has to be done next.
  enum Step: Equatable {
    case setFilter(DiscoveryFilter)
    case start
    case stop
    case nothing
  }

  /// What the scans want; nil when there is none.
  var wanted: DiscoveryFilter?
  /// How many connections are being made.
  var pauses = 0
  /// Whether BlueZ has a session of ours.
  private(set) var isRunning = false
  private var filterInForce: DiscoveryFilter?
  /// The connection that it belongs to; nil is the one of everything else.
  private(set) var bus: Connection?
  /// Whether `Discovering` was seen to be true since our start.
  private var wasDiscovering = false
  /// Lets one task at a time follow the steps.
  let queue = SerialQueue()

  func nextStep() -> Step {
    guard let wanted, pauses == 0 else { return isRunning ? .stop : .nothing }
    if filterInForce != wanted { return .setFilter(wanted) }
    return isRunning ? .nothing : .start
  }

  mutating func filterSet(_ filter: DiscoveryFilter) { filterInForce = filter }

  /// - Parameter isDiscovering: the adapter's `Discovering` now. It may have changed before BlueZ replied, or not at all
  ///   because another program was scanning.
  mutating func started(isDiscovering: Bool) {
    isRunning = true
    wasDiscovering = isDiscovering
  }

  mutating func stopped() { isRunning = false }

  /// Everything begins anew over another connection: filters and sessions belong to one.
  mutating func move(to bus: Connection) {
    self.bus = bus
    isRunning = false
    filterInForce = nil
  }

  /// Takes in the adapter's `Discovering`: when it ends while we have not ended it, our session is lost (the adapter
  /// was switched off, or slept) and has to be started again.
  ///
  /// - Returns: whether the session was lost.
  mutating func observed(isDiscovering: Bool) -> Bool {
    if isDiscovering { wasDiscovering = isRunning }
    guard isRunning, wasDiscovering, !isDiscovering else { return false }
    isRunning = false
    filterInForce = nil
    return true
  }
}
