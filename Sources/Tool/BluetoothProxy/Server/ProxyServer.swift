// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral

/// A Bluetooth proxy for one adapter: its clients, what is heard for them, and the links that they have opened.
///
/// It follows neither the bus nor the adapter: its owner passes on what is heard, and the manager in use. Confined to the
/// loop's thread.
package final class ProxyServer {
  let identity: ProxyIdentity
  let key: ProxyKey?
  let limits: ProxyLimits
  let loop: EventLoop
  /// Returns the manager in use, also if it has lost its bus.
  let central: @Sendable () async throws -> CentralManager
  private let report: (ProxyEvent) -> Void
  /// Gets the devices whose links the proxy has opened, or is about to open, as often as they change.
  package var note: ([BluetoothAddress]) -> Void = { _ in }
  private var listener: TCPListener?
  private var source: SourceID?
  private var connections: [ProxyConnection] = []
  /// No failed handshake shows its key: each counts.
  private var wrongKeys = GuessLimit()
  private(set) var scannerState = ServerMessage.ScannerState.starting
  private lazy var feed = AdvertisementFeed(on: loop) { [unowned self] message in
    let encoded = message.encoded
    for subscriber in subscribers { subscriber.send(message, as: encoded) }
  }
  private(set) lazy var links = ProxyLinks(of: self)

  /// Makes a proxy that does not listen yet; call on the loop's thread.
  ///
  /// - Parameters:
  ///   - identity: what it says about itself.
  ///   - key: the key of its clients; nil does not encrypt.
  ///   - loop: the loop, on which everything runs.
  ///   - central: returns the manager of the adapter.
  ///   - report: gets what happens.
  package convenience init(
    _ identity: ProxyIdentity, key: ProxyKey?, on loop: EventLoop,
    central: @escaping @Sendable () async throws -> CentralManager, report: @escaping (ProxyEvent) -> Void
  ) {
    self.init(identity, key: key, limits: ProxyLimits(), on: loop, central: central, report: report)
  }

  init(
    _ identity: ProxyIdentity, key: ProxyKey?, limits: ProxyLimits, on loop: EventLoop,
    central: @escaping @Sendable () async throws -> CentralManager, report: @escaping (ProxyEvent) -> Void
  ) {
    (self.identity, self.key, self.limits, self.loop) = (identity, key, limits, loop)
    (self.central, self.report) = (central, report)
  }

  /// Waits for clients on a port of every network; 0 takes a free one.
  ///
  /// - Returns: the port.
  /// - Throws: ``SocketError`` if it is taken.
  package func listen(on port: UInt16) throws(SocketError) -> UInt16 {
    let listener = try TCPListener(onEveryNetwork: port)
    let (descriptor, chosen) = (listener.descriptor, listener.port ?? port)
    source = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.accept(from: descriptor) }
    self.listener = consume listener
    return chosen
  }

  /// Closes links that an earlier proxy has left, in the background and until they are gone; a client may have one first.
  ///
  /// `failed` gets the reason why one is not closed at once.
  package func closeLinks(
    to addresses: [BluetoothAddress], failed: @escaping (BluetoothAddress, BLEError) -> Void
  ) {
    links.close(addresses, failed: failed)
  }

  /// Says goodbye to the clients, and closes their links.
  package func close() async {
    if let source { loop.unwatch(source) }
    source = nil
    listener = nil
    feed.clear()
    for connection in connections { connection.leave() }
    await links.close()
  }

  // MARK: What is heard

  /// The clients that want advertisements: each gets all of them.
  var subscribers: [ProxyConnection] { connections.filter(\.wantsAdvertisements) }

  /// Passes on what the adapter has heard.
  package func heard(_ events: [ScanEvent]) {
    guard !subscribers.isEmpty else { return }
    feed.add(events.lazy.compactMap { ForwardedAdvertisement($0) })
  }

  /// Passes on whether the adapter scans.
  package func scanner(is state: ServerMessage.ScannerState) {
    guard state != scannerState else { return }
    scannerState = state
    for subscriber in subscribers { subscriber.sendScannerState() }
  }

  // MARK: Clients

  private func accept(from listener: Int32) {
    while let descriptor = ListeningStream.accept(listener) {
      let host = SocketPort.peerAddress(of: descriptor.raw)
      take(descriptor, from: host)
    }
  }

  /// Takes a connected socket, which does not block, of a host with a numeric address.
  func take(_ descriptor: consuming OwnedDescriptor, from host: String?) {
    let greeting = connections.filter { $0.client.name == nil }
    // The oldest gives way: a client needs milliseconds to greet.
    if greeting.count >= limits.strangers, let oldest = greeting.first {
      oldest.refuse("too many others have not greeted either")
    }
    let stream = SocketStream(adopting: descriptor, on: loop)
    let isTurnedAway = host.map { wrongKeys.isReached(from: $0, at: LoopClock.now) } ?? false
    let connection = ProxyConnection(stream, from: host, of: self, isTurnedAway: isTurnedAway)
    connections.append(connection)
    connection.start()
  }

  func hasWrongKey(_ connection: ProxyConnection) {
    if let host = connection.client.host { wrongKeys.add(from: host, at: LoopClock.now) }
  }

  /// True if another client may stay.
  var hasRoom: Bool { connections.count { $0.client.name != nil } < limits.clients }

  /// Forgets a connection, and ends the links of its client.
  func ended(_ connection: ProxyConnection) {
    connections.removeAll { $0 === connection }
    links.clientLeft(connection)
    if subscribers.isEmpty { feed.clear() }
  }

  /// Tells all clients which connections are taken.
  func slotsChanged() {
    for connection in connections where connection.wantsSlots { connection.send(links.slots) }
  }

  func tell(_ event: ProxyEvent) { report(event) }
}
