// SPDX-License-Identifier: MIT

/// Decides, from BlueZ's properties and the links that a device ends, whether either side lost its keys.
struct BondState {
  enum Keys: Equatable {
    case none
    case kept
    /// The device was bonded, and this manager did not unpair it.
    case lost
  }

  /// Whether the device was bonded at some time, and this manager has not unpaired it since.
  private(set) var wasBonded = false
  /// How many new links the device ended at once during the current attempt to connect.
  private var refusedLinks = 0

  mutating func observed(isBonded: Bool) { if isBonded { wasBonded = true } }

  /// Notes that this manager deletes the keys in BlueZ.
  mutating func unpaired() { wasBonded = false }

  func keys(isPaired: Bool) -> Keys { isPaired ? .kept : wasBonded ? .lost : .none }

  mutating func beginConnecting() { refusedLinks = 0 }

  /// Notes that the device ended a link as soon as it was opened; returns whether it seems to have lost its
  /// keys.
  ///
  /// A bonded device that lost its keys can only refuse ours, and BlueZ shows no other sign of it. The radio
  /// may lose a new link too, so the second refusal counts.
  mutating func linkRefused(isBonded: Bool) -> Bool {
    guard isBonded else { return false }
    refusedLinks += 1
    return refusedLinks > 1
  }
}
