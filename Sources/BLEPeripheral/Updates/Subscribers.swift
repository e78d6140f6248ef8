// SPDX-License-Identifier: MIT

/// The centrals that have subscribed to a characteristic, as far as bluetoothd names them.
///
/// Pure: the paths of centrals in, and how they are reached out.
struct Subscribers: Equatable {
  /// Whether some are subscribed without a socket: bluetoothd called StartNotify.
  private(set) var areSignalled = false
  /// Those with a link that are taken for the subscribers without a socket: bluetoothd does not name them.
  private var presumed: Set<String> = []
  /// Whether one of them had no link yet, as far as bluetoothd had said.
  private var isUnattributed = false
  /// Those for which bluetoothd has a socket.
  private(set) var sockets: Set<String> = []
  /// Those of them that are out of reach: bluetoothd 5.66 keeps the socket for other centrals.
  private var gone: Set<String> = []
  /// Bonded ones whose socket has ended: bluetoothd keeps their subscriptions, but acquires no other socket.
  private var bonded: Set<String> = []
  /// Those that are connected and subscribed without a socket: bonded ones that are connected again, and those whose socket
  /// has ended because another central has hung up.
  private var returned: Set<String> = []
  /// Those whose socket has ended a moment ago, while others had one, too: they have unsubscribed, or another one hangs up.
  private var doubtful: Set<String> = []
  /// Whether a central with a socket has hung up a moment ago: bluetoothd 5.82 then ends the sockets of all centrals.
  private var hasOneHungUp = false

  var isEmpty: Bool { !areSignalled && sockets.isEmpty && returned.isEmpty && doubtful.isEmpty }

  /// The central whose socket reaches everybody, in each version of BlueZ; nil when only signals do.
  var sole: String? {
    !areSignalled && returned.isEmpty && !isUnsettled && sockets.count == 1 ? sockets.first : nil
  }

  /// Whether ``settle()`` is due a moment later.
  var isUnsettled: Bool { hasOneHungUp || !doubtful.isEmpty }

  /// bluetoothd has called StartNotify, which it does once for each central.
  ///
  /// - Parameter centrals: those with a link; the last has sent the most recent request, and is taken for the subscriber
  ///   if it is not known as one.
  mutating func signalled(among centrals: [String]) {
    areSignalled = true
    if let central = centrals.last(where: { !presumed.contains($0) && !sockets.contains($0) }) {
      presumed.insert(central)
    } else if presumed.isEmpty {
      isUnattributed = true
    }
  }

  /// bluetoothd has called StopNotify, which it does when the last central has unsubscribed.
  mutating func signalsEnded() {
    areSignalled = false
    presumed = []
    isUnattributed = false
  }

  /// bluetoothd has acquired a socket for a central.
  ///
  /// - Returns: those whose sockets serve nobody any more.
  mutating func acquired(_ central: String) -> Set<String> {
    let stale = gone.union([central]).intersection(sockets)
    sockets = sockets.subtracting(stale).union([central])
    gone = []
    doubtful.remove(central)
    forget(central)
    return stale
  }

  /// The socket of a central has ended.
  mutating func ended(_ central: String, isBonded: Bool, isConnected: Bool) {
    gone.remove(central)
    guard sockets.remove(central) != nil else { return }
    if isBonded { bonded.insert(central) }
    if !isConnected {
      hungUp()
    } else if hasOneHungUp {
      returned.insert(central)
    } else if !sockets.isEmpty || !doubtful.isEmpty {
      doubtful.insert(central)
    }
  }

  /// Those whose sockets have ended with that of another central are still subscribed.
  private mutating func hungUp() {
    hasOneHungUp = true
    returned.formUnion(doubtful)
    doubtful = []
  }

  /// Ends the moment in which the end of one socket and the loss of a link belong together.
  mutating func settle() {
    hasOneHungUp = false
    doubtful = []
  }

  /// A central has a link again, or for the first time.
  ///
  /// - Returns: whether it comes back as a subscriber: bluetoothd keeps the subscriptions of bonded centrals, and does
  ///   not say so when they return. Without a socket, it is taken for one if no subscriber has a link.
  mutating func connected(_ central: String, isBonded: Bool) -> Bool {
    gone.remove(central)
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

  /// The central has no bond.
  mutating func forget(_ central: String) {
    bonded.remove(central)
    returned.remove(central)
  }
}
