// SPDX-License-Identifier: MIT

/// The pairing behaviour of a peripheral.
package struct PairingSpec: Sendable, Equatable {
  package enum Response: Sendable, Equatable {
    case accept, refuse
    /// No response: the request times out.
    case ignore
  }

  /// The protection against a man in the middle that it asks for.
  package enum Protection: Sendable, Equatable {
    case none
    /// Requests it, and accepts Just Works if the other side can do no more.
    case wanted
    /// Refuses Just Works.
    case required
  }

  /// The way in which its user types the passkey that the other side shows.
  package enum Typing: Sendable, Equatable {
    case right, wrong
    /// Types nothing; only a command types for the user.
    case never
  }

  package var capability: IOCapability
  /// True if it supports LE Secure Connections; otherwise it only supports legacy pairing.
  package var hasSecureConnections: Bool
  package var protection: Protection
  package var response: Response
  /// The passkey that it shows, 0 to 999999; nil for a random one each time.
  package var passkey: UInt32?
  /// True if its user confirms the number in a comparison.
  package var confirms: Bool
  package var typing: Typing

  package init(
    _ capability: IOCapability = .none, hasSecureConnections: Bool = true, protection: Protection = .none,
    response: Response = .accept, passkey: UInt32? = nil, confirms: Bool = true, typing: Typing = .right
  ) {
    (self.capability, self.hasSecureConnections) = (capability, hasSecureConnections)
    (self.protection, self.response, self.passkey, self.confirms) = (protection, response, passkey, confirms)
    self.typing = typing
  }
}

/// Passkeys as people see them: six digits.
package enum PasskeyText {
  package static func text(_ passkey: UInt32) -> String {
    let digits = String(passkey)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }

  package static func passkey(_ text: String) -> UInt32? {
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return text.utf8.count == 6 && isDigits ? UInt32(text) : nil
  }
}

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
