// SPDX-License-Identifier: MIT

/// The place of a broker, and the topic of a log there.
package struct BrokerAddress: Sendable, Hashable {
  package let host: String
  package let port: UInt16
  package let user: String?
  package let isEncrypted: Bool
  /// The prefix of the topics of all messages.
  package let topic: String

  /// A nil `port` is the standard one, a nil `user` anonymous; `topic` has no wildcards and no final slash.
  package init(host: String, port: UInt16? = nil, user: String? = nil, isEncrypted: Bool, topic: String) {
    self.host = host
    self.port = port ?? (isEncrypted ? 8883 : 1883)
    self.user = user
    self.isEncrypted = isEncrypted
    self.topic = topic
  }
}

/// The credentials and certificates for a broker.
package struct BrokerCredentials: Sendable {
  package let password: String?
  /// A file with the certificates of authorities; nil for those of the system.
  package let authorities: String?

  package init(password: String? = nil, authorities: String? = nil) {
    self.password = password
    self.authorities = authorities
  }
}

/// A failure to connect to a broker.
package struct BrokerFailure: Error, Sendable, Hashable {
  package enum Kind: Sendable {
    /// libmosquitto is not installed.
    case library
    /// No answer: the broker may be away.
    case unreachable
    /// The host name has no address, perhaps because the network is down.
    case unknownHost
    /// The broker refuses the user, or the password.
    case denied
    case untrusted
    /// The certificate is trusted, but belongs to another host.
    case misnamed
  }

  package let kind: Kind
  /// The reason, such as `Connection refused`.
  package let reason: String

  init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// True if waiting may help.
  package var isPassing: Bool { kind == .unreachable || kind == .unknownHost }
}
