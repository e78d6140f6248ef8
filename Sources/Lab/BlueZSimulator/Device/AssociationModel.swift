// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The method by which the two sides of a pairing authenticate each other, if at all.
enum AssociationModel: Hashable {
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
  /// We demand protection against a man in the middle whenever we can show or type something.
  init(ours: IOCapability, peer: PairingSpec) {
    let theirs = peer.capability
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
