// SPDX-License-Identifier: MIT

/// What the user of a device can do for a pairing.
package enum IOCapability: String, Sendable, Hashable, CaseIterable {
  case displayOnly = "DisplayOnly"
  case displayYesNo = "DisplayYesNo"
  case keyboardOnly = "KeyboardOnly"
  case keyboardDisplay = "KeyboardDisplay"
  case none = "NoInputNoOutput"

  /// The capability of an agent; nil for an unknown word.
  init?(agent word: String) {
    self.init(rawValue: word.isEmpty ? IOCapability.keyboardDisplay.rawValue : word)
  }

  var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  var hasDisplay: Bool { self != .keyboardOnly && self != .none }
  /// Whether its user can compare numbers and answer.
  var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

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
