// SPDX-License-Identifier: MIT

/// The centrals that have subscribed to a characteristic, as far as bluetoothd names them.
///
/// Pure: the paths of centrals in, and how they are reached out.
struct Subscribers: Equatable {
  /// Whether some are subscribed without a socket: bluetoothd called StartNotify.
  var areSignalled = false
  /// Those for which bluetoothd has a socket.
  private(set) var sockets: Set<String> = []
  /// Those of them that are out of reach: bluetoothd 5.66 keeps the socket for other centrals.
  private var gone: Set<String> = []
  /// Bonded ones whose socket has ended: bluetoothd keeps their subscriptions, but acquires no other socket.
  private var bonded: Set<String> = []
  /// Those of them that are connected again.
  private var returned: Set<String> = []

  var isEmpty: Bool { !areSignalled && sockets.isEmpty && returned.isEmpty }

  /// The central whose socket reaches everybody, in each version of BlueZ; nil when only signals do.
  var sole: String? { !areSignalled && returned.isEmpty && sockets.count == 1 ? sockets.first : nil }

  /// bluetoothd has acquired a socket for a central.
  ///
  /// - Returns: those whose sockets serve nobody any more.
  mutating func acquired(_ central: String) -> Set<String> {
    let stale = gone.union([central]).intersection(sockets)
    sockets = sockets.subtracting(stale).union([central])
    gone = []
    forget(central)
    return stale
  }

  /// The socket of a central has ended.
  mutating func ended(_ central: String, isBonded: Bool) {
    gone.remove(central)
    guard sockets.remove(central) != nil, isBonded else { return }
    bonded.insert(central)
  }

  mutating func connected(_ central: String) {
    gone.remove(central)
    if bonded.contains(central) { returned.insert(central) }
  }

  mutating func disconnected(_ central: String) {
    returned.remove(central)
    if sockets.contains(central) { gone.insert(central) }
  }

  /// The central has no bond.
  mutating func forget(_ central: String) {
    bonded.remove(central)
    returned.remove(central)
  }
}
