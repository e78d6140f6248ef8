// SPDX-License-Identifier: MIT

/// The centrals subscribed to a characteristic, and how to reach them, to the extent that bluetoothd names
/// them.
struct Subscribers: Equatable {
  /// True if some are subscribed without a socket: bluetoothd called StartNotify.
  private(set) var areSignalled = false
  /// Centrals with a link that are assumed to be subscribed without a socket.
  private var presumed: Set<String> = []
  /// True if one of them had no link yet, according to bluetoothd.
  private var isUnattributed = false
  /// Centrals that have a socket in bluetoothd.
  private(set) var sockets: Set<String> = []
  /// Those with a socket that are out of reach: bluetoothd 5.66 keeps the socket for other centrals.
  private var gone: Set<String> = []
  /// Bonded centrals whose socket ended: bluetoothd keeps their subscriptions, but acquires no other socket.
  private var bonded: Set<String> = []
  /// Connected and subscribed without a socket: bonded, or another central's end closed the socket.
  private var returned: Set<String> = []
  /// Those whose socket just ended while others had one: unsubscribed, or another central disconnects.
  private var doubtful: Set<String> = []
  /// Centrals whose subscriptions bluetoothd has lost, since pairing changed their address.
  private var lost: Set<String> = []
  /// True if a central with a socket just disconnected, for which bluetoothd 5.82 ends all sockets.
  private var hasOneHungUp = false

  /// True if bluetoothd sends values to none.
  var isEmpty: Bool {
    if lost.isEmpty { return !areSignalled && sockets.isEmpty && returned.isEmpty && doubtful.isEmpty }
    let areSignalsLost = !isUnattributed && presumed.isEmpty
    return (!areSignalled || areSignalsLost)
      && [sockets, returned, doubtful].allSatisfy { $0.isSubset(of: lost) }
  }

  /// The central whose socket reaches all subscribers, in each version of BlueZ; nil if only signals do.
  var sole: String? {
    !areSignalled && returned.isEmpty && !isUnsettled && sockets.count == 1 && lost.isEmpty
      ? sockets.first : nil
  }

  var isUnsettled: Bool { hasOneHungUp || !doubtful.isEmpty }

  /// Handles bluetoothd's call of StartNotify, which it makes once for each central.
  ///
  /// - Parameter centrals: those with a link; the last one sent the most recent request, and is assumed to be
  ///   the subscriber unless it is already known as one.
  mutating func signalled(among centrals: [String]) {
    areSignalled = true
    if let central = centrals.last(where: { !presumed.contains($0) && !sockets.contains($0) }) {
      presumed.insert(central)
      lost.remove(central)
    } else if presumed.isEmpty {
      isUnattributed = true
    }
  }

  /// Handles bluetoothd's call of StopNotify, which it makes when the last central unsubscribes.
  mutating func signalsEnded() {
    areSignalled = false
    presumed = []
    isUnattributed = false
  }

  /// Records that bluetoothd acquired a socket for a central, and returns the centrals whose sockets are now
  /// useless.
  mutating func acquired(_ central: String) -> Set<String> {
    let stale = gone.union([central]).intersection(sockets)
    sockets = sockets.subtracting(stale).union([central])
    gone = []
    lost.remove(central)
    doubtful.remove(central)
    forget(central)
    return stale
  }

  mutating func ended(_ central: String, isBonded: Bool, isConnected: Bool) {
    gone.remove(central)
    guard sockets.remove(central) != nil else { return }
    if isBonded, !lost.contains(central) { bonded.insert(central) }
    if !isConnected {
      hungUp()
    } else if hasOneHungUp {
      returned.insert(central)
    } else if !sockets.isEmpty || !doubtful.isEmpty {
      doubtful.insert(central)
    }
  }

  /// Records that centrals whose sockets ended with that of another central are still subscribed.
  private mutating func hungUp() {
    hasOneHungUp = true
    returned.formUnion(doubtful)
    doubtful = []
  }

  /// Ends the period in which the end of a socket and the loss of a link count as one event.
  mutating func settle() {
    hasOneHungUp = false
    doubtful = []
  }

  /// Records that a central has a link again, or for the first time.
  ///
  /// - Returns: whether it returns as a subscriber: bluetoothd keeps the subscriptions of bonded centrals,
  ///   but does not report it when they return. Without a socket, it is assumed to be one if no subscriber
  ///   has a link.
  mutating func connected(_ central: String, isBonded: Bool) -> Bool {
    gone.remove(central)
    if lost.contains(central) { return false }
    if bonded.contains(central) { returned.insert(central) }
    if isUnattributed {
      isUnattributed = false
      presumed.insert(central)
      return false
    }
    guard isBonded else { return false }
    if sockets.contains(central) || returned.contains(central) { return true }
    let haveLink = !presumed.isEmpty || !sockets.isSubset(of: gone) || !returned.isEmpty || !doubtful.isEmpty
    guard areSignalled, !haveLink else { return false }
    presumed.insert(central)
    return true
  }

  mutating func disconnected(_ central: String) {
    returned.remove(central)
    presumed.remove(central)
    let hasSocket = sockets.contains(central)
    if hasSocket { gone.insert(central) }
    if doubtful.remove(central) != nil || hasSocket { hungUp() }
  }

  /// Records that pairing changed the address of a central with a link.
  mutating func addressChanged(_ central: String) {
    lost.insert(central)
    presumed.remove(central)
    forget(central)
  }

  /// Returns whether bluetoothd has lost the subscriptions of a central.
  func hasLost(_ central: String) -> Bool { lost.contains(central) }

  /// Records that the central has no bond.
  mutating func forget(_ central: String) {
    bonded.remove(central)
    returned.remove(central)
  }
}
