// SPDX-License-Identifier: MIT
internal import BLEWorld

/// How the two sides of a pairing make sure of each other.
enum AssociationModel: Hashable {
  /// They do not.
  case justWorks
  /// Both show a number, and both users confirm that it is the same.
  case comparison
  /// The peripheral shows a passkey, which our user types.
  case peripheralShows
  /// We show a passkey, which the peripheral's user types.
  case weShow
  /// Both users type the same passkey.
  case bothType

  /// The model of a pairing that we initiate, by the table of the Core Specification (Vol 3, Part H, 2.3.5.1).
  ///
  /// - Parameters:
  ///   - ours: our capability.
  ///   - isAuthenticated: whether we demand protection against a man in the middle.
  ///   - peer: the other side.
  init(ours: IOCapability, isAuthenticated: Bool, peer: PairingSpec) {
    let theirs = peer.capability
    let isWanted = isAuthenticated || ours != .none || peer.protection != .none
    guard isWanted, ours != .none, theirs != .none else {
      self = .justWorks
      return
    }
    if peer.hasSecureConnections, ours.canCompare, theirs.canCompare {
      self = .comparison
    } else if ours == .keyboardOnly, theirs == .keyboardOnly {
      self = .bothType
    } else if ours == .keyboardDisplay, theirs == .keyboardDisplay {
      self = .weShow
    } else if ours.hasKeyboard, theirs.hasDisplay {
      self = .peripheralShows
    } else if ours.hasDisplay, theirs.hasKeyboard {
      self = .weShow
    } else {
      self = .justWorks
    }
  }
}
