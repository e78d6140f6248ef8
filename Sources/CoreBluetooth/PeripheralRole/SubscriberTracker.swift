// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// Finds out which central has subscribed: BlueZ calls once for each, but does not name it.
///
/// The most recent of the connected centrals that are not subscribed yet is taken for it; a request of a central makes it
/// more recent. With one central connected, which is the rule, that is exact.
struct SubscriberTracker {
  /// The connected centrals, the most recent last.
  private var centrals: [Central] = []
  private var subscribers: [PublishedCharacteristic: [Central]] = [:]
  /// Subscriptions whose central was not announced yet.
  private var open: [PublishedCharacteristic] = []

  /// A central has connected.
  ///
  /// - Returns: what it has subscribed to already.
  mutating func connected(_ central: Central) -> [PublishedCharacteristic] {
    active(central)
    defer { open = [] }
    for characteristic in open { subscribers[characteristic, default: []].append(central) }
    return open
  }

  /// A central has sent a request.
  mutating func active(_ central: Central) {
    centrals.removeAll { $0 == central }
    centrals.append(central)
  }

  /// A central has gone.
  ///
  /// - Returns: what it was subscribed to.
  mutating func disconnected(_ central: Central) -> [PublishedCharacteristic] {
    centrals.removeAll { $0 == central }
    let ended = subscribers.filter { $0.value.contains(central) }.map(\.key)
    for characteristic in ended { subscribers[characteristic]?.removeAll { $0 == central } }
    return ended
  }

  /// Some central has subscribed.
  ///
  /// - Returns: which; nil while it is not known.
  mutating func subscribed(_ characteristic: PublishedCharacteristic) -> Central? {
    let known = subscribers[characteristic] ?? []
    guard let central = centrals.last(where: { !known.contains($0) }) else {
      if known.isEmpty { open.append(characteristic) }
      return nil
    }
    subscribers[characteristic, default: []].append(central)
    return central
  }

  /// No central is subscribed any more.
  ///
  /// - Returns: those that were.
  mutating func unsubscribed(_ characteristic: PublishedCharacteristic) -> [Central] {
    open.removeAll { $0 == characteristic }
    return subscribers.removeValue(forKey: characteristic) ?? []
  }

  mutating func reset() { self = SubscriberTracker() }
}
