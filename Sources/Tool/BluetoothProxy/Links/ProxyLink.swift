// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The link to a device that a client has asked for, from the request to its end; confined to the loop's thread.
///
/// The order of what is said is that of ESPHome: the client learns that it is connected before the others learn that a
/// connection is taken, and that it is not before they learn that one is free.
final class ProxyLink {
  /// Clients wait for 20 s.
  static let attemptTime = Duration.seconds(17)

  let address: BluetoothAddress
  let owner: ProxyConnection
  private let links: ProxyLinks
  private unowned let server: ProxyServer
  private var peripheral: Peripheral?
  /// True if no program had a link to the device, so that this one is ours, as soon as there is one.
  private(set) var isOurs = false
  /// True if the proxy ended before BlueZ had closed the link.
  private(set) var remains = false
  /// The attributes; nil unless the link is up.
  private(set) var table: HandleTable?
  private var mtu = 23
  /// The reason for its end, as soon as it ends.
  private var ending: (error: Int32, reason: String)?
  private var task: Task<Void, Never>?
  private var closing: Task<Void, Never>?
  private var requests: LinkRequests?
  /// True if the client asked for another link as soon as this one has ended.
  private var isWantedAgain = false
  /// The number of wishes to end it that came while it was ending.
  private var furtherEnds = 0

  var isUp: Bool { table != nil && ending == nil }
  /// True from the decision to end it on.
  var isEnding: Bool { ending != nil }

  init(to address: BluetoothAddress, for owner: ProxyConnection, in links: ProxyLinks, of server: ProxyServer)
  {
    (self.address, self.owner, self.links, self.server) = (address, owner, links, server)
  }

  // MARK: The client's wishes

  func open() {
    task = server.loop.spawn { [self] in
      await connect()
      if let peripheral, isUp {
        announce()
        await lost(peripheral)
      }
      await close()
    }
  }

  /// Answers a client that asks for a link that it has already.
  ///
  /// The end of an attempt is an answer itself; that of a link answers the wish to end it, and another one follows.
  func wantedAgain() {
    if isEnding { isWantedAgain = true }
    guard isUp else { return }
    client(isConnected: true)
    server.slotsChanged()
  }

  func take(_ request: LinkRequests.Request) { requests?.take(request) }

  /// Ends the link or the attempt for its client, and answers each such request.
  func unwanted(because reason: String) {
    if isEnding { furtherEnds += 1 }
    isWantedAgain = false
    end(with: 0, because: reason)
  }

  /// Ends the link or the attempt; only the first reason counts.
  func end(with error: Int32, because reason: String) {
    guard ending == nil else { return }
    ending = (error, reason)
    task?.cancel()
  }

  /// Stops waiting for BlueZ to close the link: the proxy ends.
  func leave() { closing?.cancel() }

  /// Returns when BlueZ has closed the link, and the clients know.
  func waitForEnd() async { await task?.value }

  private func client(isConnected: Bool, error: Int32 = 0) {
    owner.send(
      .connection(
        address, isConnected: isConnected, mtu: isConnected ? UInt32(clamping: mtu) : 0, error: error))
  }

  // MARK: From the attempt to the end

  private func connect() async {
    let deadline = Deadline(after: Self.attemptTime)
    do {
      let central = try await server.central()
      guard let info = try await heard(by: central, until: deadline) else { throw NotHeard() }
      peripheral = info.peripheral
      isOurs = !info.isConnected
      links.ownLinksChanged()
      try await info.peripheral.connect(timeout: deadline.remaining)
      if links.adopt(address) {
        await info.peripheral.claimLink()
        isOurs = true
        links.ownLinksChanged()
      }
      let services = try await info.peripheral.discoverServices()
      mtu = await info.peripheral.mtu ?? mtu
      if ending == nil { table = HandleTable(services) }
    } catch {
      guard ending == nil else { return }
      let reason = (error as? BLEError)?.message ?? "\(error)"
      ending = (LinkFailure.ofAttempt(error), reason)
    }
  }

  /// Returns the device, which BlueZ knows or has to hear; nil if it is not heard.
  private func heard(by central: CentralManager, until deadline: Deadline) async throws -> PeripheralInfo? {
    if let known = try await central.knownPeripheral(withAddress: address) { return known }
    return try await central.hear(ScanFilter(addresses: [address]), until: deadline)
  }

  private func announce() {
    guard let peripheral, let table else { return }
    requests = LinkRequests(peripheral, table, of: self, in: links, on: server.loop)
    client(isConnected: true)
    server.slotsChanged()
    server.tell(.connected(address, by: owner.client, mtu: mtu))
  }

  /// Waits until the link is lost, or to be closed.
  private func lost(_ peripheral: Peripheral) async {
    do throws(BLEError) {
      try await peripheral.waitUntilDisconnected()
      await requests?.finishUnpairing()
      end(with: LinkFailure.timedOut, because: "the link was lost")
    } catch {
      end(with: LinkFailure.timedOut, because: error.message)
    }
  }

  /// Closes the link in BlueZ, unless others use it, then says so.
  ///
  /// BlueZ may refuse for a while, or hang: until the link has ended, its place is taken.
  private func close() async {
    let wasUp = table != nil
    requests?.end()
    (requests, table) = (nil, nil)
    if let peripheral {
      // Not in this task, which may be cancelled.
      let closing = server.loop.spawn { [links] in
        // The client may connect again at once, and must not meet the dying link.
        if links.isEnding {
          await peripheral.release()
        } else {
          await peripheral.releaseAndWait(timeout: nil)
        }
      }
      self.closing = closing
      await closing.value
      remains = await peripheral.isClosingRefused
    }
    let (error, reason) = ending ?? (LinkFailure.other, "it ended")
    for _ in 0...furtherEnds { client(isConnected: false, error: error) }
    links.ended(self)
    server.tell(
      wasUp
        ? .disconnected(address, by: owner.client, reason: reason)
        : .connectionRefused(address, by: owner.client, reason: reason))
    if isWantedAgain { links.connect(address, owner) }
  }
}
