// SPDX-License-Identifier: MIT

/// The result of pairing with a device.
///
/// Both properties on the bus can be true alone: a bond is kept before `Paired` is signalled with the services, and a
/// device is paired without a bond while the adapter is not pairable.
struct PairingState: Equatable {
  enum Key: Equatable {
    case none
    case known(BondKey)
    /// The kernel has forgotten it.
    case dropped
  }

  private(set) var key = Key.none
  /// True if the key outlives the link.
  private(set) var isBonded = false
  private(set) var isPaired = false

  /// - Parameter bond: the key of a stored device.
  init(bond: BondKey? = nil) {
    guard let bond else { return }
    key = .known(bond)
    isBonded = true
    isPaired = true
  }

  var knownKey: BondKey? { if case .known(let key) = key { key } else { nil } }

  /// Both sides have a new key; returns whether `Bonded` changes.
  mutating func agreed(on new: BondKey, isKept: Bool) -> Bool {
    defer { isBonded = isKept }
    key = .known(new)
    return isBonded != isKept
  }

  /// Returns whether `Paired` changes.
  mutating func paired() -> Bool {
    defer { isPaired = true }
    return !isPaired
  }

  /// The kernel forgets the key, though the device still counts as paired; returns whether it had one.
  mutating func dropKey() -> Bool {
    guard knownKey != nil else { return false }
    key = .dropped
    return true
  }

  /// Without a bond, pairing ends with the link; returns whether `Paired` changes.
  mutating func linkEnded() -> Bool {
    guard !isBonded else { return false }
    if key != .dropped { key = .none }
    defer { isPaired = false }
    return isPaired
  }
}
