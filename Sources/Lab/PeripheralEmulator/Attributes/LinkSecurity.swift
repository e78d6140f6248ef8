// SPDX-License-Identifier: MIT
package import BLEWorld

/// The security of a link, or the security that an attribute requires.
package enum LinkSecurity: Int, Comparable {
  case plain
  /// Encrypted with a key from Just Works.
  case encrypted
  /// Encrypted with a key from a passkey or a comparison.
  case authenticated
  /// Encrypted with such a key from LE Secure Connections.
  case secureConnections

  package static func < (left: LinkSecurity, right: LinkSecurity) -> Bool { left.rawValue < right.rawValue }

  /// The next level that the daemon tries after an error about missing authentication.
  package var next: LinkSecurity? { LinkSecurity(rawValue: rawValue + 1) }

  /// Returns the error of an attribute on a link that is not secure enough for it.
  package func refusal(_ needed: AttributeSecurity) -> ATTErrorCode? {
    switch needed {
    case .none: nil
    case .encrypted: self < .encrypted ? .insufficientEncryption : nil
    case .authenticated: self < .authenticated ? .insufficientAuthentication : nil
    case .secureConnections: self < .secureConnections ? .insufficientAuthentication : nil
    }
  }
}
