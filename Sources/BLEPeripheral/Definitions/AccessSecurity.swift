// SPDX-License-Identifier: MIT

/// The security that a link must have for the operations on an attribute.
///
/// BlueZ refuses other links by itself, with ATT 0x0f or 0x05; the central then pairs. Reading 2902 is always permitted.
/// BlueZ before 5.62 lets everyone subscribe.
public struct AccessSecurity: Sendable, Hashable {
  /// How secure a link is.
  public enum Level: Int, Sendable, Hashable, CaseIterable {
    /// Anything.
    case none
    /// Encrypted, as after any pairing.
    case encrypted
    /// Encrypted after a pairing with a passkey or a comparison.
    case authenticated
    /// The same, by LE Secure Connections.
    case secureConnections
  }

  /// For reading.
  public var read: Level
  /// For writing.
  public var write: Level
  /// For subscribing.
  public var subscribe: Level

  /// Makes a different demand for each operation.
  public init(read: Level = .none, write: Level = .none, subscribe: Level = .none) {
    self.read = read
    self.write = write
    self.subscribe = subscribe
  }

  /// Makes the same demand for all operations.
  public init(_ level: Level) { self.init(read: level, write: level, subscribe: level) }

  /// No demand.
  public static let none = AccessSecurity()
  /// An encrypted link.
  public static let encrypted = AccessSecurity(.encrypted)
  /// A link that is encrypted after a pairing with a passkey or a comparison.
  public static let authenticated = AccessSecurity(.authenticated)
}

extension AccessSecurity.Level {
  /// BlueZ's word for an operation that demands this level; nil for none.
  func flag(_ operation: String) -> String? {
    switch self {
    case .none: nil
    case .encrypted: "encrypt-" + operation
    case .authenticated: "encrypt-authenticated-" + operation
    case .secureConnections: "secure-" + operation
    }
  }
}
