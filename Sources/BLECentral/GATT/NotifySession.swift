// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Our one subscription to a characteristic, shared by all who want its values.
///
/// BlueZ signals each value once for every subscribed bus connection: one session of ours keeps them single. Confined to
/// the manager, whose loop is also the only one to call what reads its socket.
final class NotifySession: @unchecked Sendable {
  let path: NotificationPath
  private let loop: EventLoop
  /// Whether StartNotify has succeeded, so that StopNotify is ours to call.
  var isStarted = false
  private var filter: EchoFilter<Notification>
  private var subscribers: [Int: WeakSubscription] = [:]
  private var socket: PacketSource?
  /// When the socket last brought something: also after the link was lost.
  private var lastRead: Moment?

  private struct WeakSubscription {
    weak var subscription: NotifySubscription?
  }

  init(path: NotificationPath, loop: EventLoop, readsUnderWay: Int = 0) {
    self.path = path
    self.loop = loop
    filter = EchoFilter(reads: readsUnderWay)
  }

  var isUnused: Bool { subscribers.isEmpty }

  func add(_ subscription: NotifySubscription) {
    subscribers[subscription.number] = WeakSubscription(subscription: subscription)
  }

  func remove(_ number: Int) { subscribers[number] = nil }

  // MARK: Values

  func signalled(_ bytes: [UInt8]) {
    guard path == .signal else { return }
    if let value = filter.signalled(Notification(value: bytes, time: .now)) {
      deliver(CollectionOfOne(value))
    }
  }

  func readBegan() { filter.readBegan() }

  func readEnded(isSuccess: Bool) {
    if let value = filter.readEnded(isSuccess: isSuccess) { deliver(CollectionOfOne(value)) }
  }

  private func deliver(_ notifications: some Collection<Notification>) {
    for subscriber in subscribers.values {
      subscriber.subscription?.channel.send(contentsOf: notifications, inTurnOf: loop)
    }
  }

  // MARK: Socket

  func read(from socket: PacketSource) { self.socket = socket }

  var hasSocket: Bool { socket != nil }

  func received(_ packets: [[UInt8]]) {
    let moment = Moment()
    lastRead = moment
    deliver(packets.map { Notification(value: $0, time: moment.time) })
  }

  // MARK: The end

  /// - Parameters:
  ///   - error: why no more values can come.
  ///   - moment: since when.
  func end(_ error: BLEError, at moment: Moment = Moment()) {
    closeSocket()
    let moment = lastRead.map { max($0, moment) } ?? moment
    for subscriber in subscribers.values { subscriber.subscription?.end(error, at: moment) }
  }

  func closeSocket() {
    socket?.close()
    socket = nil
  }
}
