// SPDX-License-Identifier: MIT

/// What the user of a device can do for a pairing.
package enum IOCapability: String, Sendable, Hashable, CaseIterable {
  case displayOnly = "DisplayOnly"
  case displayYesNo = "DisplayYesNo"
  case keyboardOnly = "KeyboardOnly"
  case keyboardDisplay = "KeyboardDisplay"
  case none = "NoInputNoOutput"

  /// The capability of an agent; nil for an unknown word.
  package init?(agent word: String) {
    self.init(rawValue: word.isEmpty ? IOCapability.keyboardDisplay.rawValue : word)
  }

  package var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  package var hasDisplay: Bool { self != .keyboardOnly && self != .none }
  /// Whether its user can compare numbers and answer.
  package var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
