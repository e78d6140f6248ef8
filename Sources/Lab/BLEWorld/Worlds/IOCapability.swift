// SPDX-License-Identifier: MIT

/// The input and output of a device for pairing.
package enum IOCapability: String, Sendable, Hashable, CaseIterable {
  case displayOnly = "DisplayOnly"
  case displayYesNo = "DisplayYesNo"
  case keyboardOnly = "KeyboardOnly"
  case keyboardDisplay = "KeyboardDisplay"
  case none = "NoInputNoOutput"

  /// Parses the capability of an agent, empty for `KeyboardDisplay`; fails for an unknown word.
  package init?(agent word: String) {
    self.init(rawValue: word.isEmpty ? IOCapability.keyboardDisplay.rawValue : word)
  }

  package var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  package var hasDisplay: Bool { self != .keyboardOnly && self != .none }
  package var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
