// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

extension RemoteCharacteristic {
  func startNotify(_ call: MethodCall) {
    guard !device.isDisconnecting else { return call.fail(.notConnected) }
    guard properties.isSubscribable else { return call.fail(.notSupported) }
    guard !isNotifyAcquired else { return call.fail(.notPermitted("Notify acquired")) }
    if let session = subscription.session(of: call.sender) {
      if session.isRegistered { call.reply() } else { call.fail(.inProgress) }
      return
    }
    let session = SubscriptionState.Session(call.sender)
    subscription.sessions.append(session)
    // On a cached characteristic the session waits for the next link.
    guard link != nil else { return call.reply() }
    session.call = call
    register([session])
  }

  func stopNotify(_ call: MethodCall) {
    let session = subscription.session(of: call.sender)
    if isNotifyAcquired {
      // bluetoothd reads freed memory here if the socket was never handed over, and crashes.
      guard notifySocket != nil else { return device.daemon.onCrash() }
      releaseNotify()
      return call.reply()
    }
    guard let session else { return call.fail(.failed("No notify session started")) }
    end(session)
    call.reply()
  }

  func clientLeft(_ name: String) {
    if let session = subscription.session(of: name) { end(session) }
  }

  /// Renews the sessions that outlived a link.
  func restoreSessions() {
    guard link != nil, !subscription.sessions.isEmpty else { return }
    register(subscription.sessions.filter { !$0.isRegistered })
  }

  /// Subscribes for the daemon itself, invisibly to clients.
  func subscribeForDaemon() {
    guard properties.isSubscribable else { return }
    subscription.isUsedByDaemon = true
    configure { _ in }
  }

  func linkLost() {
    for session in subscription.sessions { session.isRegistered = false }
    subscription.configuration = .off
    subscription.isUsedByDaemon = false
    closeSockets()
  }

  // MARK: Sessions

  private func register(_ sessions: [SubscriptionState.Session]) {
    for session in sessions { session.isRegistered = true }
    configure { [weak self] failure in
      guard let self else { return }
      for session in sessions {
        let call = session.call
        session.call = nil
        if let failure {
          subscription.sessions.removeAll { $0 === session }
          call?.fail(failure)
        } else if subscription.sessions.contains(where: { $0 === session }) {
          setNotifying(true)
          call?.reply()
        }
      }
    }
  }

  private func end(_ session: SubscriptionState.Session) {
    subscription.sessions.removeAll { $0 === session }
    if subscription.listenerCount == 0 { setNotifying(false) }
    unconfigureIfUnused()
  }

  private func setNotifying(_ isOn: Bool) {
    guard subscription.isNotifying != isOn else { return }
    subscription.isNotifying = isOn
    changed("Notifying")
  }

  // MARK: The peripheral's client configuration

  /// Enables notifications if necessary, or indications if the characteristic has only those.
  func configure(then finish: @escaping (ATTErrorCode?) -> Void) {
    guard let link, let descriptor = configurationHandle, subscription.configuration != .on else {
      return finish(nil)
    }
    subscription.configuration = .writing
    let bits: UInt8 = properties.contains(.notify) ? 1 : 2
    link.write(descriptor, [bits, 0]) { [weak self] outcome in
      switch outcome {
      case .success:
        self?.subscription.configuration = .on
        finish(nil)
      case .failure(let error): finish(error)
      }
    }
  }

  func unconfigureIfUnused() {
    guard subscription.sessions.isEmpty, !subscription.isUsedByDaemon, !isNotifyAcquired else { return }
    guard let link, let descriptor = configurationHandle, subscription.configuration != .off else { return }
    subscription.configuration = .off
    link.write(descriptor, [0, 0]) { _ in }
  }

  private var configurationHandle: UInt16? {
    descriptors.first { $0.uuid == AttributeLayout.clientConfiguration }?.handle
  }
}

/// The subscriptions to a characteristic and the peripheral's client configuration.
struct SubscriptionState {
  /// The subscription of a client, which outlives the link.
  final class Session {
    let client: String
    /// True if it is active, or becoming active, on the current link.
    var isRegistered = false
    /// The call that waits for the peripheral.
    var call: MethodCall?

    init(_ client: String) { self.client = client }
  }

  enum Configuration {
    case off, writing, on
  }

  var sessions: [Session] = []
  var configuration = Configuration.off
  /// The property `Notifying`, which stays true when the link ends.
  var isNotifying = false
  /// True if the daemon itself is subscribed, for the battery.
  var isUsedByDaemon = false
  /// True if a client has acquired the notifications, even if its socket was never handed over.
  var isAcquired = false

  func session(of client: String) -> Session? { sessions.first { $0.client == client } }

  /// The number of clients subscribed on the current link.
  var listenerCount: Int { sessions.reduce(0) { $0 + ($1.isRegistered ? 1 : 0) } }
}
