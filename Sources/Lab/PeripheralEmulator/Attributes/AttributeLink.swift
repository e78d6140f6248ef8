// SPDX-License-Identifier: MIT
package import BLEWorld

/// The other end of a link, as attributes see it.
package protocol AttributeLink: AnyObject {
  func received(_ value: [UInt8], from valueHandle: UInt16)
  /// Calls `action` once everything that the peripheral has sent so far has arrived.
  func afterReceived(_ action: @escaping () -> Void)
  /// The security of the link, which pairing raises.
  var security: LinkSecurity { get }
  /// Returns whether further notifications of a characteristic should wait.
  func isCongested(_ valueHandle: UInt16) -> Bool
  /// The number of bytes of a notification that arrive; the rest is cut.
  var longestNotification: Int { get }
  /// The number of bytes of a notification that certainly arrive, at every central.
  var packetSize: Int { get }
}

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
