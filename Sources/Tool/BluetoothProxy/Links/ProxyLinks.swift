// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The links that clients have opened through a proxy, each the only one of its device; confined to the loop's thread.
final class ProxyLinks {
  private unowned let server: ProxyServer
  private var links: [ProxyLink] = []
  /// True at the end of the proxy, which does not wait for the 2 s that BlueZ takes to close a link.
  private(set) var isEnding = false
  /// The devices with links that nobody uses and that are still to be closed.
  private(set) var leftovers: Set<BluetoothAddress> = []
  private var closing: [Task<Void, Never>] = []
  /// The devices that clients have paired through this proxy.
  private var paired: Set<BluetoothAddress> = []

  init(of server: ProxyServer) { self.server = server }

  private func link(_ address: BluetoothAddress) -> ProxyLink? { links.first { $0.address == address } }

  /// The link to a device, if it is the client's.
  private func link(_ address: BluetoothAddress, of client: ProxyConnection) -> ProxyLink? {
    link(address).flatMap { $0.owner === client ? $0 : nil }
  }

  /// The connections that are taken and free: clients trust it, and end a link that is not in it.
  var slots: ServerMessage {
    let limit = server.identity.maxConnections
    return .connectionsFree(
      free: UInt32(clamping: limit - links.count), limit: UInt32(clamping: limit),
      allocated: links.map(\.address))
  }

  func isUp(_ address: BluetoothAddress, for client: ProxyConnection) -> Bool {
    link(address, of: client)?.isUp == true
  }

  // MARK: Requests about devices

  func take(_ request: ClientMessage.DeviceRequest, _ address: BluetoothAddress, from client: ProxyConnection)
  {
    switch request {
    // Both are the same here: BlueZ knows the services before anything works.
    case .connectWithCache, .connectWithoutCache: connect(address, client)
    case .disconnect:
      // An answer in every case: the client waits for it.
      guard let link = link(address, of: client) else {
        return client.send(.connection(address, isConnected: false, mtu: 0, error: 0))
      }
      link.unwanted(because: "the client ended it")
    case .pair:
      guard let link = link(address, of: client), link.isUp else {
        return client.send(.paired(address, isPaired: false, error: LinkFailure.notConnected))
      }
      link.take(.pair)
    case .unpair:
      // Bonds that others have made are not the clients'.
      guard let link = link(address, of: client), link.isUp, paired.contains(address) else {
        return client.send(.unpaired(address, isDone: false, error: LinkFailure.notConnected))
      }
      link.take(.unpair)
    // BlueZ keeps services by the hash of the device's database: there is nothing to clear.
    case .clearCache: client.send(.cacheCleared(address, isDone: true, error: 0))
    }
  }

  func connect(_ address: BluetoothAddress, _ client: ProxyConnection) {
    if let link = link(address) {
      if link.owner === client { return link.wantedAgain() }
      if !link.isEnding { return refuse(address, client, "another client is connected to it") }
      // A client that comes back after an interruption meets its own link: it tries again very soon.
      return refuse(address, client, "its former link is being closed", LinkFailure.terminatedHere)
    }
    guard server.identity.maxConnections > 0 else {
      return refuse(address, client, "the proxy makes no connections")
    }
    guard links.count < server.identity.maxConnections else {
      return refuse(address, client, "all \(links.count) connections are in use")
    }
    let link = ProxyLink(to: address, for: client, in: self, of: server)
    links.append(link)
    server.slotsChanged()
    link.open()
  }

  private func refuse(
    _ address: BluetoothAddress, _ client: ProxyConnection, _ reason: String,
    _ error: Int32 = LinkFailure.other
  ) {
    client.send(.connection(address, isConnected: false, mtu: 0, error: error))
    server.tell(.connectionRefused(address, by: client.client, reason: reason))
  }

  func wasPaired(_ address: BluetoothAddress) { paired.insert(address) }

  func wasUnpaired(_ address: BluetoothAddress) { paired.remove(address) }

  // MARK: Requests about attributes

  func sendServices(of address: BluetoothAddress, to client: ProxyConnection) {
    let all = RemoteAttribute(device: address, handle: 0)
    guard let table = link(address, of: client)?.table else {
      return client.send(.failed(all, error: LinkFailure.notConnected))
    }
    let usesShortUUIDs = client.version >= .shortUUIDs
    guard let messages = table.messages(address, usesShortUUIDs: usesShortUUIDs) else {
      return client.send(.failed(all, error: Int32(ATTError.unlikelyError.code)))
    }
    for message in messages { client.send(message) }
    // Behind the last one only: the client keeps the list.
    client.send(.servicesDone(address))
  }

  func take(_ request: ClientMessage, _ attribute: RemoteAttribute, from client: ProxyConnection) {
    guard let link = link(attribute.device, of: client), link.isUp else {
      return client.send(.failed(attribute, error: LinkFailure.notConnected))
    }
    link.take(.attribute(request, attribute))
  }

  // MARK: Ends

  /// Ends the links and the attempts of a client that has gone.
  func clientLeft(_ client: ProxyConnection) {
    for link in links where link.owner === client { link.unwanted(because: "the client has gone") }
  }

  /// Frees the place of a link that has ended.
  func ended(_ link: ProxyLink) {
    links.removeAll { $0 === link }
    if link.remains { leftovers.insert(link.address) }
    server.slotsChanged()
    ownLinksChanged()
  }

  /// Tells the owner of the proxy which links are to be closed if this process does not live to do so.
  func ownLinksChanged() {
    let own = leftovers.union(links.filter(\.isOurs).map(\.address))
    server.note(own.sorted())
  }

  // MARK: Links that others have left

  /// Closes links that nobody uses, however often BlueZ refuses.
  ///
  /// `failed` gets the reason for the first refusal of each.
  func close(_ addresses: [BluetoothAddress], failed: @escaping (BluetoothAddress, BLEError) -> Void) {
    leftovers.formUnion(addresses)
    ownLinksChanged()
    closing += addresses.map { address in
      server.loop.spawn { [self] in await keepClosing(address) { failed(address, $0) } }
    }
  }

  private func keepClosing(_ address: BluetoothAddress, failed: (BLEError) -> Void) async {
    var failures = 0
    while leftovers.contains(address), !isEnding {
      do {
        // A client that has it closes it in the end.
        if link(address) == nil { try await closeLeft(address) }
      } catch {
        if failures == 0, let error = error as? BLEError, !error.isOutage { failed(error) }
        failures += 1
      }
      guard leftovers.contains(address) else { break }
      let pause = Duration.milliseconds(500 * (1 << min(failures, 6)))
      guard (try? await server.loop.sleep(for: pause)) != nil else { break }
    }
  }

  private func closeLeft(_ address: BluetoothAddress) async throws {
    let central = try await server.central()
    if let info = try await central.knownPeripheral(withAddress: address), info.isConnected {
      // Of a client that has come in the meantime.
      guard link(address) == nil else { return }
      try await info.peripheral.disconnect()
    }
    leftovers.remove(address)
    ownLinksChanged()
  }

  /// Adopts a link that the proxy has to close; returns false if it is another link.
  func adopt(_ address: BluetoothAddress) -> Bool { leftovers.remove(address) != nil }

  /// Ends all links, and returns when BlueZ closes them.
  func close() async {
    isEnding = true
    for task in closing { task.cancel() }
    let open = links
    for link in open { link.end(with: 0, because: "the proxy ends") }
    for link in open { link.leave() }
    for link in open { await link.waitForEnd() }
    for task in closing { await task.value }
  }
}
