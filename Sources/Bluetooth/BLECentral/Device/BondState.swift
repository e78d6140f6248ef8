// SPDX-License-Identifier: MIT

/// Decides, from BlueZ's properties and the links that a device ends, whether either side lost its keys.
struct BondState {
  enum Keys: Equatable {
    case none
    case kept
    /// The device was bonded, and this manager did not unpair it.
    case lost
  }

  /// The reason that a device cannot be connected to, as suggested by its links.
  enum Suspicion: Equatable {
    /// The device lost its keys.
    case keysLost
    /// BlueZ needs better keys than those of the pairing.
    case keysTooWeak
  }

  /// True if the device was bonded at some time, and this manager has not unpaired it since.
  private(set) var wasBonded = false
  /// The number of new links that ended at once during the current attempt to connect.
  private var refusedLinks = 0
  /// The number of those links that BlueZ ended.
  private var linksEndedByBlueZ = 0
  /// The method of a pairing that BlueZ began for a request over the link, once the agent has answered; nil without one,
  /// or when it has succeeded.
  private(set) var unfinishedPairing: PairingMethod?
  /// True if that pairing is to replace weaker keys: its success does not show in BlueZ's properties.
  private var replacesKeys = false

  mutating func observed(isBonded: Bool) { if isBonded { wasBonded = true } }

  /// Records that this manager deletes the keys in BlueZ.
  mutating func unpaired() { wasBonded = false }

  func keys(isPaired: Bool) -> Keys { isPaired ? .kept : wasBonded ? .lost : .none }

  mutating func beginConnecting() {
    (refusedLinks, linksEndedByBlueZ) = (0, 0)
    unfinishedPairing = nil
  }

  /// Records that a link ended as soon as it was opened, and returns the likely state of the keys.
  ///
  /// A bonded device that lost its keys can only refuse ours, and BlueZ shows no other sign of it. BlueZ ends a link over
  /// which it has read a value that requires better keys. The radio may lose a new link too, so the second end counts.
  mutating func linkRefused(isBonded: Bool, byBlueZ isLocal: Bool) -> Suspicion? {
    guard isBonded else { return nil }
    refusedLinks += 1
    if isLocal { linksEndedByBlueZ += 1 }
    guard refusedLinks > 1 else { return nil }
    return linksEndedByBlueZ == 0 ? .keysLost : linksEndedByBlueZ == refusedLinks ? .keysTooWeak : nil
  }

  /// Records the agent's answer to a question about a pairing that BlueZ began for a request.
  mutating func pairingAnswered(_ method: PairingMethod, isPaired: Bool) {
    (unfinishedPairing, replacesKeys) = (method, isPaired)
  }

  /// Forgets an unfinished pairing, unless the device was paired before it.
  mutating func paired() { if !replacesKeys { unfinishedPairing = nil } }

  /// Forgets an unfinished pairing: the request for which BlueZ paired was answered.
  mutating func requestAnswered() { unfinishedPairing = nil }
}
