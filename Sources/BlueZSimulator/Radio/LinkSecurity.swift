// SPDX-License-Identifier: MIT

/// How secure a link is, or has to be.
enum LinkSecurity: Int, Comparable {
  /// Not encrypted.
  case plain
  /// Encrypted with a key of "Just Works".
  case encrypted
  /// Encrypted with a key of a passkey or a comparison.
  case authenticated
  /// Such a key of LE Secure Connections.
  case secureConnections

  static func < (left: LinkSecurity, right: LinkSecurity) -> Bool { left.rawValue < right.rawValue }

  /// The next level that the daemon tries after an error about missing authentication.
  var next: LinkSecurity? { LinkSecurity(rawValue: rawValue + 1) }

  /// The error of an attribute on a link that is not secure enough for it.
  func refusal(_ needed: AttributeSecurity) -> ATTErrorCode? {
    switch needed {
    case .none: nil
    case .encrypted: self < .encrypted ? .insufficientEncryption : nil
    case .authenticated: self < .authenticated ? .insufficientAuthentication : nil
    case .secureConnections: self < .secureConnections ? .insufficientAuthentication : nil
    }
  }
}

/// The key of a bond; both sides have the same.
struct BondKey: Hashable {
  let number: Int
  let security: LinkSecurity
}
