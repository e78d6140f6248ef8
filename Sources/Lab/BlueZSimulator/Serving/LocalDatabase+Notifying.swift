// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// Subscriptions of centrals, and the values that clients send to them.
extension LocalDatabase {
  /// Sets the configuration of a central; the client learns of each start, and of the end of the last.
  func configure(_ attribute: ApplicationAttribute, _ value: UInt8, for link: any PeripheralLink) {
    let before = attribute.configuration(of: link)
    guard before != value else { return }
    attribute.configure(value, for: link)
    if before == 0 { return subscribed(attribute, over: link) }
    let audience = audience(of: link)
    guard value == 0, audience != .everybody || !attribute.isSubscribed else { return }
    if let socket = attribute.notifySockets.removeValue(forKey: audience) {
      socket.close()
    } else if !attribute.isSubscribed {
      post(attribute, "StopNotify")
    }
  }

  /// Returns the centrals that share a socket with this one.
  private func audience(of link: any PeripheralLink) -> NotifySocket.Audience {
    daemon.behaviour.hasSocketPerCentral ? .central(link.central.address) : .everybody
  }

  private func subscribed(_ attribute: ApplicationAttribute, over link: any PeripheralLink) {
    guard attribute.hasNotifySocket else { return post(attribute, "StartNotify") }
    let audience = audience(of: link)
    guard attribute.notifySockets[audience] == nil else { return }
    let options: [(String, DBusValue)] = [
      ("device", .objectPath(path(of: link))), ("link", .string("LE")), ("mtu", .uint16(link.mtu)),
    ]
    let message = attribute.message("AcquireNotify") { $0.properties(options) }
    daemon.request(message, timeout: .seconds(25)) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let reply):
        guard attribute.isSubscribed else { return }
        attribute.notifySockets[audience] = NotifySocket(reply, on: daemon.loop) {
          [weak self, weak attribute] packets in
          guard let self, let attribute else { return }
          for packet in packets { notify(packet, of: attribute, to: audience) }
        } ended: { [weak attribute] in
          attribute?.notifySockets[audience] = nil
        }
        attribute.notifySockets[audience]?.isPaused = isFrozen
      case .failure(let error):
        guard ![BlueZError.failed("").name, ErrorName.noReply].contains(error.name) else { return }
        post(attribute, "StartNotify")
      }
    }
  }

  private func post(_ attribute: ApplicationAttribute, _ method: String) {
    let message = attribute.message(method)
    message.expectNoReply()
    daemon.tree.send(message)
  }

  // MARK: Values

  func changed(_ message: Message, _ attributes: [ApplicationAttribute]) {
    guard let path = message.path,
      let attribute = attributes.first(where: { $0.object.path == path && $0.flags.properties.isSubscribable }
      )
    else { return }
    let arguments = message.values
    guard arguments.count == 3, arguments[0].text == BlueZName.gattCharacteristic,
      case .bytes(let value) = arguments[1]["Value"]
    else { return }
    notify(value, of: attribute)
  }

  /// Sends a value to every subscribed central of the audience, cut to what fits.
  private func notify(
    _ value: [UInt8], of attribute: ApplicationAttribute, to audience: NotifySocket.Audience = .everybody
  ) {
    for link in links where audience == .everybody || audience == .central(link.central.address) {
      if attribute.lostSubscribers.contains(ObjectIdentifier(link)) { continue }
      let part = Array(value.prefix(min(AttributeServer.maximumLength, Int(link.mtu) - 3)))
      switch attribute.configuration(of: link) {
      case 0: break
      case 1: link.received(part, from: attribute.handle)
      default: indicate(part, of: attribute, over: link)
      }
    }
  }

  /// Sends an indication once those before it are confirmed.
  private func indicate(_ value: [UInt8], of attribute: ApplicationAttribute, over link: any PeripheralLink) {
    let key = ObjectIdentifier(link)
    attribute.indications[key, default: []].append(value)
    if attribute.indications[key]?.count == 1 { sendIndication(of: attribute, over: link) }
  }

  private func sendIndication(of attribute: ApplicationAttribute, over link: any PeripheralLink) {
    let key = ObjectIdentifier(link)
    guard let value = attribute.indications[key]?.first else { return }
    link.received(value, from: attribute.handle)
    link.afterReceived { [weak self, weak link] in
      self?.daemon.timers.schedule(after: .zero) {
        guard let self, let link, attribute.indications[key]?.isEmpty == false else { return }
        attribute.indications[key]?.removeFirst()
        self.post(attribute, "Confirm")
        self.sendIndication(of: attribute, over: link)
      }
    }
  }
}

/// The daemon's end of a socket that a client's AcquireNotify returned: each packet is a notification.
final class NotifySocket {
  /// The centrals that it serves.
  enum Audience: Hashable {
    case everybody
    /// The central with this address.
    case central(String)
  }

  private let source: PacketSource

  /// Fails if the reply to AcquireNotify has no descriptor; `received` gets the packets in order.
  init?(
    _ reply: Message, on loop: EventLoop, received: @escaping ([[UInt8]]) -> Void,
    ended: @escaping () -> Void
  ) {
    guard let descriptor = reply.takeDescriptor(at: 0) else { return nil }
    source = PacketSource(
      adopting: descriptor, on: loop, received: loop.confined(received), ended: loop.confined(ended))
  }

  /// While true, the daemon reads nothing from it.
  var isPaused: Bool {
    get { source.isPaused }
    set { source.isPaused = newValue }
  }

  func close() { source.close() }
}
