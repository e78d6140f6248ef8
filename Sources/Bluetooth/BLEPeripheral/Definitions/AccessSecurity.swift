// SPDX-License-Identifier: MIT

/// The security that a link must have for the operations on an attribute.
///
/// BlueZ itself refuses other links, with ATT 0x0f or 0x05; the central then pairs. Reading 2902 is always
/// permitted. BlueZ before 5.62 lets every central subscribe.
public struct AccessSecurity: Sendable, Hashable {
  /// The security level of a link.
  public enum Level: Int, Sendable, Hashable, CaseIterable {
    /// Any link.
    case none
    /// An encrypted link, as after any pairing.
    case encrypted
    /// A link encrypted after a pairing with a passkey or a numeric comparison.
    case authenticated
    /// The same, with LE Secure Connections.
    case secureConnections
  }

  /// The level for reading.
  public var read: Level
  /// The level for writing.
  public var write: Level
  /// The level for subscribing.
  public var subscribe: Level

  /// Requires a separate level for each operation.
  public init(read: Level = .none, write: Level = .none, subscribe: Level = .none) {
    self.read = read
    self.write = write
    self.subscribe = subscribe
  }

  /// Requires the same level for all operations.
  public init(_ level: Level) { self.init(read: level, write: level, subscribe: level) }

  /// No requirement.
  public static let none = AccessSecurity()
  /// An encrypted link.
  public static let encrypted = AccessSecurity(.encrypted)
  /// A link encrypted after a pairing with a passkey or a numeric comparison.
  public static let authenticated = AccessSecurity(.authenticated)
}

extension AccessSecurity.Level {
  /// Returns BlueZ's flag for an operation that requires this level; nil for none.
  func flag(_ operation: String) -> String? {
    switch self {
    case .none: nil
    case .encrypted: "encrypt-" + operation
    case .authenticated: "encrypt-authenticated-" + operation
    case .secureConnections: "secure-" + operation
    }
  }
}
