// SPDX-License-Identifier: MIT

/// The subscriptions to a characteristic and the peripheral's client configuration.
struct SubscriptionState {
  /// The subscription of a client, which outlives the link.
  final class Session {
    let client: String
    /// Whether it is active on the current link, or becoming so.
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
  /// The property `Notifying`, which stays true when the link ends.
  var isNotifying = false
  /// Whether the daemon itself is subscribed, for the battery.
  var isUsedByDaemon = false
  /// Whether a client has acquired the notifications, even if its socket was never handed over.
  var isAcquired = false

  func session(of client: String) -> Session? { sessions.first { $0.client == client } }

  /// The number of clients subscribed on the current link.
  var listenerCount: Int { sessions.reduce(0) { $0 + ($1.isRegistered ? 1 : 0) } }
}
