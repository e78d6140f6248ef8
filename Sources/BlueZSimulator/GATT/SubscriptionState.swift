// SPDX-License-Identifier: MIT

/// Who is subscribed to a characteristic, and what the peripheral was told of it.
struct SubscriptionState {
  /// A client's StartNotify: it belongs to the client's connection to the bus and outlives the link.
  final class Session {
    let client: String
    /// Whether it is in force on the present link, or about to be.
    var isRegistered = false
    /// The call that waits for the peripheral.
    var call: MethodCall?

    init(_ client: String) { self.client = client }
  }

  /// The peripheral's client configuration.
  enum Configuration {
    case off, writing, on
  }

  var sessions: [Session] = []
  var configuration = Configuration.off
  /// The property `Notifying`, which stays true over the end of a link.
  var isNotifying = false
  /// Whether the daemon itself is subscribed, for the battery.
  var isUsedByDaemon = false
  /// Whether a client holds the notifications, also when its socket was never handed over.
  var isAcquired = false

  func session(of client: String) -> Session? { sessions.first { $0.client == client } }

  /// How many clients are subscribed on the present link.
  var listenerCount: Int { sessions.reduce(0) { $0 + ($1.isRegistered ? 1 : 0) } }
}
