// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// Determines which central subscribed: BlueZ calls once for each, but does not name it.
///
/// The most recent of the connected centrals that are not subscribed yet is assumed; a request makes a
/// central more recent. With one connected central, the usual case, this is exact. If an assumed subscriber
/// disconnects and BlueZ goes on notifying, it was another one.
struct SubscriberTracker {
  /// The connected centrals, the most recent last; first those that this program uses as peripherals.
  private var centrals: [Central] = []
  /// Those that this program uses as peripherals, and that have sent no request.
  private var peripherals: Set<Central> = []
  /// The known subscribers of each characteristic that BlueZ notifies.
  private var subscribers: [PublishedCharacteristic: [Central]] = [:]
  /// Subscriptions whose central was not reported yet.
  private var open: [PublishedCharacteristic] = []
  /// Subscriptions whose assumed central has left.
  private var left: [PublishedCharacteristic] = []

  /// Returns whether BlueZ notifies a central of a characteristic.
  func isNotified(_ characteristic: PublishedCharacteristic) -> Bool { subscribers[characteristic] != nil }

  /// Records that a central connected; returns its earlier subscriptions.
  ///
  /// This may be called after requests of the same link, and of others: links are reported in a stream, but requests directly.
  mutating func connected(_ central: Central, isPeripheral: Bool) -> [PublishedCharacteristic] {
    if !centrals.contains(central) {
      if isPeripheral {
        peripherals.insert(central)
        centrals.insert(central, at: 0)
        return []
      }
      centrals.append(central)
    }
    defer { open = [] }
    for characteristic in open { subscribers[characteristic, default: []].append(central) }
    return open
  }

  /// Records a request from a central.
  mutating func active(_ central: Central) {
    peripherals.remove(central)
    centrals.removeAll { $0 == central }
    centrals.append(central)
  }

  /// Removes a central that is gone; returns its subscriptions.
  mutating func disconnected(_ central: Central) -> [PublishedCharacteristic] {
    centrals.removeAll { $0 == central }
    peripherals.remove(central)
    let ended = subscribers.filter { $0.value.contains(central) }.map(\.key)
    for characteristic in ended { subscribers[characteristic]?.removeAll { $0 == central } }
    left += ended
    return ended
  }

  /// Assumes other subscribers in place of those that have left, if BlueZ still notifies; returns them.
  mutating func handOver() -> [(PublishedCharacteristic, Central)] {
    defer { left = [] }
    var found: [(PublishedCharacteristic, Central)] = []
    for characteristic in left {
      guard let known = subscribers[characteristic], known.isEmpty,
        let central = centrals.last(where: { !peripherals.contains($0) })
      else { continue }
      subscribers[characteristic] = [central]
      found.append((characteristic, central))
    }
    return found
  }

  /// Records a subscription of some central; returns the central, or nil while it is unknown.
  mutating func subscribed(_ characteristic: PublishedCharacteristic) -> Central? {
    let known = subscribers[characteristic, default: []]
    subscribers[characteristic] = known
    guard let central = centrals.last(where: { !known.contains($0) }) else {
      if known.isEmpty { open.append(characteristic) }
      return nil
    }
    subscribers[characteristic] = known + [central]
    return central
  }

  /// Records that no central is subscribed any more; returns the previous subscribers.
  mutating func unsubscribed(_ characteristic: PublishedCharacteristic) -> [Central] {
    open.removeAll { $0 == characteristic }
    left.removeAll { $0 == characteristic }
    return subscribers.removeValue(forKey: characteristic) ?? []
  }
}
