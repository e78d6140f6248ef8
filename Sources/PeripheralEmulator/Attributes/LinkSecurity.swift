// SPDX-License-Identifier: MIT
package import BLEWorld

/// How secure a link is, or has to be.
package enum LinkSecurity: Int, Comparable {
  /// Not encrypted.
  case plain
  /// Encrypted with a key of "Just Works".
  case encrypted
  /// Encrypted with a key of a passkey or a comparison.
  case authenticated
  /// Such a key of LE Secure Connections.
  case secureConnections

  package static func < (left: LinkSecurity, right: LinkSecurity) -> Bool { left.rawValue < right.rawValue }

  /// The next level that the daemon tries after an error about missing authentication.
  package var next: LinkSecurity? { LinkSecurity(rawValue: rawValue + 1) }

  /// The error of an attribute on a link that is not secure enough for it.
  package func refusal(_ needed: AttributeSecurity) -> ATTErrorCode? {
    switch needed {
    case .none: nil
    case .encrypted: self < .encrypted ? .insufficientEncryption : nil
    case .authenticated: self < .authenticated ? .insufficientAuthentication : nil
    case .secureConnections: self < .secureConnections ? .insufficientAuthentication : nil
    }
  }
}
