// SPDX-License-Identifier: MIT
package import BLECentral

/// The answers to the questions of a pairing that the command line gives.
package struct PairingAnswers: Sendable, Hashable {
  /// Whether to say yes to a comparison, and to pairing without a number.
  package var yes = false
  package var passkey: Passkey?
  package var pin: String?
  package var capability: CapabilityWord?

  package init(
    yes: Bool = false, passkey: Passkey? = nil, pin: String? = nil, capability: CapabilityWord? = nil
  ) {
    self.yes = yes
    self.passkey = passkey
    self.pin = pin
    self.capability = capability
  }
}

/// What an agent can do: the value of `--capability`.
package enum CapabilityWord: String, Sendable, CaseIterable {
  case displayOnly = "display-only"
  case displayYesNo = "display-yes-no"
  case keyboardOnly = "keyboard-only"
  case keyboardDisplay = "keyboard-display"
  case none

  package var capability: PairingCapability {
    switch self {
    case .displayOnly: .displayOnly
    case .displayYesNo: .displayYesNo
    case .keyboardOnly: .keyboardOnly
    case .keyboardDisplay: .keyboardDisplay
    case .none: .noInputNoOutput
    }
  }
}

extension Passkey {
  /// The passkey that a text on the command line spells.
  ///
  /// - Throws: an error if it is not a number of up to six digits; it does not repeat the text, which may be nearly right.
  package init(parsing text: String) throws(PasskeyError) {
    guard let passkey = Passkey(text) else { throw PasskeyError() }
    self = passkey
  }
}

/// A passkey or a PIN that is none.
package struct PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
  package var description = "a passkey is a number of up to six digits"
}

extension String {
  /// The PIN that a text on the command line spells.
  ///
  /// - Throws: an error if it has not 1 to 16 bytes.
  package init(parsingPIN text: String) throws(PasskeyError) {
    guard (1...16).contains(text.utf8.count) else {
      throw PasskeyError(description: "a PIN has 1 to 16 characters")
    }
    self = text
  }
}
