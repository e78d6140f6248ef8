// SPDX-License-Identifier: MIT

/// Where a broker is, and the topic that a log has there.
package struct BrokerAddress: Sendable, Hashable {
  package let host: String
  package let port: UInt16
  package let user: String?
  package let isEncrypted: Bool
  /// What the topics of all its messages begin with.
  package let topic: String

  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: nil for that of the protocol.
  ///   - user: who logs in; nil for nobody.
  ///   - isEncrypted: whether TLS is used.
  ///   - topic: without wildcards, and without a slash at its end.
  package init(host: String, port: UInt16? = nil, user: String? = nil, isEncrypted: Bool, topic: String) {
    self.host = host
    self.port = port ?? (isEncrypted ? 8883 : 1883)
    self.user = user
    self.isEncrypted = isEncrypted
    self.topic = topic
  }
}

/// What a broker asks for before it lets a log in.
package struct BrokerCredentials: Sendable {
  package let password: String?
  /// A file with the certificates of authorities; nil for those of the system.
  package let authorities: String?

  package init(password: String? = nil, authorities: String? = nil) {
    self.password = password
    self.authorities = authorities
  }
}

/// Why there is no connection to a broker.
package struct BrokerFailure: Error, Sendable, Hashable {
  package enum Kind: Sendable {
    /// libmosquitto is not installed.
    case library
    /// Nobody answers: the broker may be away.
    case unreachable
    /// The name of the host has no address, perhaps because the network is down.
    case unknownHost
    /// The broker refuses the user, or the password.
    case denied
    /// The certificate of the broker is not trusted.
    case untrusted
    /// The certificate is trusted, but not that of this host.
    case misnamed
  }

  package let kind: Kind
  /// The reason in words: `Connection refused`.
  package let reason: String

  init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// Whether waiting may help.
  package var isPassing: Bool { kind == .unreachable || kind == .unknownHost }
}
