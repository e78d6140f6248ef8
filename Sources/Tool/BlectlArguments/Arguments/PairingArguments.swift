// SPDX-License-Identifier: MIT
package import BLECentral

/// The answers to pairing questions from the command line.
package struct PairingAnswers: Sendable, Hashable {
  /// Answers yes to numeric comparison, and to pairing without a number.
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

/// The abilities of an agent: the value of `--capability`.
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
  /// Parses a number of up to six digits; the error does not repeat the text, which may be nearly right.
  package init(parsing text: String) throws(PasskeyError) {
    guard let passkey = Passkey(text) else { throw PasskeyError() }
    self = passkey
  }
}

/// An invalid passkey or PIN.
package struct PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
  package var description = "a passkey is a number of up to six digits"
}

extension String {
  /// Parses a PIN of 1 to 16 bytes.
  package init(parsingPIN text: String) throws(PasskeyError) {
    guard (1...16).contains(text.utf8.count) else {
      throw PasskeyError(description: "a PIN has 1 to 16 characters")
    }
    self = text
  }
}
