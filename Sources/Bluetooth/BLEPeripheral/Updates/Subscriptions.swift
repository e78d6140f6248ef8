// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The centrals subscribed to a characteristic, and the sockets that bluetoothd requests instead of signals.
///
/// Confined to the thread of the manager's loop.
final class Subscriptions {
  enum Change {
    case subscribed
    case unsubscribed
    /// There may be room, over the same transport or another.
    case room
  }

  /// The maximum time between the end of a socket and the loss of the link that caused it, in either order.
  private static let settlingTime = Duration.milliseconds(300)

  private let client: BlueZClient
  private let centrals: Centrals
  private let transport: UpdateTransport
  var report: (Change) -> Void = { _ in }
  private var subscribers = Subscribers() {
    didSet { findSoleSocket() }
  }
  /// The sockets, by the path of the central.
  private(set) var sockets: [String: UpdateSocket] = [:] {
    didSet { findSoleSocket() }
  }
  /// The socket that reaches all centrals; looking it up for each value would cost more than sending it.
  private(set) var soleSocket: UpdateSocket?
  /// True if it will soon be decided which centrals are still subscribed.
  private var isSettling = false

  init(_ client: BlueZClient, _ centrals: Centrals, over transport: UpdateTransport) {
    (self.client, self.centrals, self.transport) = (client, centrals, transport)
  }

  var isEmpty: Bool { subscribers.isEmpty }

  private func findSoleSocket() { soleSocket = subscribers.sole.flatMap { sockets[$0] } }

  /// Answers StartNotify and StopNotify, which BlueZ calls once for each central.
  func setSignalled(_ isOn: Bool) {
    if isOn {
      subscribers.signalled(among: centrals.recent)
      report(.subscribed)
    } else {
      subscribers.signalsEnded()
      changed(wasEmpty: false)
    }
  }

  /// Answers AcquireNotify, which means that a central subscribed; returns nil if updates are signals.
  func acquireSocket(_ call: Message) -> LocalAnswer? {
    guard transport == .acquireNotify else { return nil }
    let options = RequestOptions(call.values.first)
    let central = options.devicePath
    let socket = UpdateSocket(on: client.loop) { [weak self] change in
      self?.socket(of: central, changed: change)
    }
    guard let socket else {
      // bluetoothd then calls StartNotify.
      return .now(
        Message(errorTo: call, name: BlueZ.errorPrefix + "NotSupported", text: "out of descriptors"))
    }
    for stale in subscribers.acquired(central) { sockets.removeValue(forKey: stale)?.close() }
    sockets[central] = socket
    report(.subscribed)
    return .now(
      Message(replyTo: call) {
        $0.descriptor(adopting: socket.takeOtherEnd())
        $0.uint16(UInt16(clamping: options.mtu))
      })
  }

  private func socket(of central: String, changed change: UpdateSocket.Change) {
    switch change {
    case .hasRoom: report(.room)
    case .ended:
      sockets.removeValue(forKey: central)?.close()
      let device = client.model.devices[central]
      subscribers.ended(
        central, isBonded: device?.isBonded ?? false, isConnected: device?.isConnected ?? false)
      changed(wasEmpty: false)
      settleLater()
    }
  }

  /// Decides a moment later which centrals are still subscribed.
  private func settleLater() {
    guard subscribers.isUnsettled, !isSettling else { return }
    isSettling = true
    _ = client.loop.schedule(at: LoopClock.now + Self.settlingTime) { [weak self] in self?.settle() }
  }

  private func settle() {
    isSettling = false
    let wasEmpty = isEmpty
    subscribers.settle()
    changed(wasEmpty: wasEmpty)
  }

  /// Reports whether there are subscribers now, and that there may be room over another transport.
  private func changed(wasEmpty: Bool) {
    if !isEmpty, wasEmpty { report(.subscribed) }
    if isEmpty, !wasEmpty { report(.unsubscribed) }
    report(.room)
  }

  func follow(_ central: String, isBonded: Bool, isConnected: Bool) {
    var wasEmpty = isEmpty
    if !isBonded { subscribers.forget(central) }
    if !isConnected {
      subscribers.disconnected(central)
      settleLater()
    } else if subscribers.connected(central, isBonded: isBonded) {
      wasEmpty = true
    }
    if isEmpty != wasEmpty { changed(wasEmpty: wasEmpty) }
  }

  /// Handles the change of a linked central's address by pairing.
  ///
  /// bluetoothd looks for its subscriptions by the old address, and sends it nothing.
  func addressChanged(of central: String) {
    let wasEmpty = isEmpty
    subscribers.addressChanged(central)
    if isEmpty != wasEmpty { changed(wasEmpty: wasEmpty) }
  }

  /// Returns whether bluetoothd sends a central nothing until it subscribes again, over another link.
  func hasLost(_ central: String) -> Bool { subscribers.hasLost(central) }

  /// True if bluetoothd has read everything from the sockets.
  var areDrained: Bool { sockets.values.allSatisfy(\.isDrained) }

  /// Handles the loss of all subscriptions in BlueZ.
  func reset() {
    subscribers = Subscribers()
    for socket in sockets.values { socket.close() }
    sockets = [:]
  }
}
