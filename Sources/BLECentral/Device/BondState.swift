// SPDX-License-Identifier: MIT

/// What the manager knows of the bond with one device beyond what BlueZ shows: whether either side has lost its keys.
///
/// It only decides; it sees what BlueZ shows, and the links that the device ends.
struct BondState {
  /// What BlueZ has of the keys.
  enum Keys: Equatable {
    case none
    case kept
    /// The device was bonded, and this manager has not unpaired it.
    case lost
  }

  /// Whether the device was bonded at some time, and was not unpaired by this manager since.
  private(set) var wasBonded = false
  /// How many links the device has ended at once while a task connects.
  private var refusedLinks = 0

  /// BlueZ shows the device.
  mutating func observed(isBonded: Bool) { if isBonded { wasBonded = true } }

  /// This manager has BlueZ delete the keys.
  mutating func unpaired() { wasBonded = false }

  func keys(isPaired: Bool) -> Keys { isPaired ? .kept : wasBonded ? .lost : .none }

  /// A task begins to connect.
  mutating func beginConnecting() { refusedLinks = 0 }

  /// The device has ended a link as soon as it was opened.
  ///
  /// A bonded device that has lost its keys can only refuse ours, and BlueZ shows nothing else of it. The radio may lose a
  /// new link too: the second one counts.
  ///
  /// - Parameter isBonded: whether BlueZ has keys for it.
  /// - Returns: whether the device seems to have lost its keys.
  mutating func linkRefused(isBonded: Bool) -> Bool {
    guard isBonded else { return false }
    refusedLinks += 1
    return refusedLinks > 1
  }
}
