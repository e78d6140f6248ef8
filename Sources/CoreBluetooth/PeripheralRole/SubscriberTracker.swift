// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// Determines which central subscribed: BlueZ calls once for each, but does not name it.
///
/// The most recent of the connected centrals that are not subscribed yet is assumed; a request makes a
/// central more recent. With one connected central, the usual case, this is exact.
struct SubscriberTracker {
  /// The connected centrals, the most recent last.
  private var centrals: [Central] = []
  private var subscribers: [PublishedCharacteristic: [Central]] = [:]
  /// Subscriptions whose central was not reported yet.
  private var open: [PublishedCharacteristic] = []

  /// Notes that a central connected; returns its earlier subscriptions.
  mutating func connected(_ central: Central) -> [PublishedCharacteristic] {
    active(central)
    defer { open = [] }
    for characteristic in open { subscribers[characteristic, default: []].append(central) }
    return open
  }

  /// Notes that a central sent a request.
  mutating func active(_ central: Central) {
    centrals.removeAll { $0 == central }
    centrals.append(central)
  }

  /// Notes that a central is gone; returns its subscriptions.
  mutating func disconnected(_ central: Central) -> [PublishedCharacteristic] {
    centrals.removeAll { $0 == central }
    let ended = subscribers.filter { $0.value.contains(central) }.map(\.key)
    for characteristic in ended { subscribers[characteristic]?.removeAll { $0 == central } }
    return ended
  }

  /// Notes that some central subscribed; returns the central, or nil while it is unknown.
  mutating func subscribed(_ characteristic: PublishedCharacteristic) -> Central? {
    let known = subscribers[characteristic] ?? []
    guard let central = centrals.last(where: { !known.contains($0) }) else {
      if known.isEmpty { open.append(characteristic) }
      return nil
    }
    subscribers[characteristic, default: []].append(central)
    return central
  }

  /// Notes that no central is subscribed any more; returns the previous subscribers.
  mutating func unsubscribed(_ characteristic: PublishedCharacteristic) -> [Central] {
    open.removeAll { $0 == characteristic }
    return subscribers.removeValue(forKey: characteristic) ?? []
  }
}
