// SPDX-License-Identifier: MIT
package import BLEFormats
internal import BLEWorld
internal import PeripheralEmulator

/// A central that is not an adapter of the computer: it connects to one that advertises, and sends requests.
///
/// It outlives the daemon.
final class SimulatedCentral: PeripheralLink {
  typealias Outcome = Result<[UInt8], ATTErrorCode>

  /// The central as the daemon sees it: with Generic Access and nothing else.
  let central: AdapterPeer
  private let medium: RadioMedium
  private let timers: TimerQueue
  private let timing: SimulatorTiming
  private let outgoing: PacketQueue
  private let incoming: PacketQueue
  private(set) var server: AdapterPeer?
  private(set) var mtu: UInt16 = 23
  var security = LinkSecurity.plain
  /// The notifications and indications that have arrived, by value handle.
  private var values: [UInt16: [[UInt8]]] = [:]
  /// Called when `count` values have arrived from the handle.
  private var waiters: [(handle: UInt16, count: Int, arrived: () -> Void)] = []
  /// Ends the request that is unanswered.
  private var pending: ((CentralAnswer) -> Void)?

  init(_ address: String, medium: RadioMedium, timers: TimerQueue, timing: SimulatorTiming) {
    self.medium = medium
    self.timers = timers
    self.timing = timing
    let spec = PeripheralSpec(address: address, advertisement: AdvertisementSpec(name: "Simulated Central"))
    let packetTime = { [medium] in medium.defaultPacketTime }
    central = AdapterPeer(
      address: address, host: "",
      attributes: AttributeServer(spec, timers: timers, responseDelay: timing.attResponse),
      packetTime: packetTime, isOn: { true })
    outgoing = PacketQueue(timers: timers, packetTime: packetTime)
    incoming = PacketQueue(timers: timers, packetTime: packetTime)
    central.onDisconnect = { [weak self] _ in self?.hangUp() }
  }

  // MARK: The link

  /// Connects to an adapter that advertises, and encrypts the link with the key of a bond.
  ///
  /// Returns false if the adapter is unreachable, or a link exists. `mtu` is the largest that the central
  /// accepts; `privateAddress` is a resolvable one that it sends instead of its own.
  func connect(to address: String, mtu: UInt16, as privateAddress: String? = nil) -> Bool {
    guard server == nil, let peer = medium.adapter(address), peer.isReachable else { return false }
    central.privateAddress = privateAddress
    self.mtu = min(mtu, peer.mtu)
    values = [:]
    server = peer
    let key = central.pairing.key(for: address)
    if let key, key == peer.pairing.key(for: central.address) { security = key.security }
    peer.connect(self)
    return true
  }

  func hangUp() {
    guard let server else { return }
    self.server = nil
    security = .plain
    outgoing.clear()
    incoming.clear()
    end(.impossible)
    let ended = waiters
    waiters = []
    for waiter in ended { waiter.arrived() }
    server.disconnect(self)
  }

  func lost(_ end: LinkEnd) { hangUp() }
  func servicesChanged() {}
  func securityRequested(_ level: LinkSecurity) {}
  func isCongested(_ valueHandle: UInt16) -> Bool { !incoming.hasRoom }

  func retime() {
    outgoing.retime()
    incoming.retime()
  }

  // MARK: Values

  func received(_ value: [UInt8], from valueHandle: UInt16) {
    incoming.send(packets: PacketQueue.packets(for: value.count)) { [weak self] in
      guard let self else { return }
      values[valueHandle, default: []].append(value)
      notifyWaiters()
    }
  }

  /// Calls `then` when `count` values have arrived from a characteristic on this link.
  func onReceived(_ count: Int, from uuid: BluetoothUUID, then: @escaping () -> Void) {
    guard let handle = find(uuid)?.valueHandle else { return then() }
    waiters.append((handle, count, then))
    notifyWaiters()
  }

  private func notifyWaiters() {
    let met = waiters.filter { values[$0.handle, default: []].count >= $0.count }
    waiters.removeAll { values[$0.handle, default: []].count >= $0.count }
    for waiter in met { waiter.arrived() }
  }

  func afterReceived(_ action: @escaping () -> Void) { incoming.afterAll(action) }

  /// Returns the values that have arrived from a characteristic on this link.
  func received(_ uuid: BluetoothUUID) -> [[UInt8]] { find(uuid).flatMap { values[$0.valueHandle] } ?? [] }

  // MARK: Requests

  private func find(_ uuid: BluetoothUUID) -> AttributeLayout.Characteristic? {
    server?.attributes.layout.services.lazy.flatMap(\.characteristics).first { $0.spec.uuid == uuid }
  }

  /// Performs one request; calls `answer` once.
  func perform(_ request: CentralRequest, then answer: @escaping (CentralAnswer) -> Void) {
    guard let server, pending == nil else { return answer(.impossible) }
    switch request {
    case .pair:
      pending = answer
      pair(with: server)
    // Channels lead to the programs of the adapter, past its attributes: see Simulator.
    case .exchange: answer(.impossible)
    case .listen(let uuid): answer(find(uuid) == nil ? .impossible : .done())
    case .hangUpDuringRead(let uuid):
      guard let handle = find(uuid)?.valueHandle else { return answer(.impossible) }
      outgoing.send { [weak self] in
        guard let self else { return }
        server.attributes.readPart(handle, offset: 0, over: self) { _ in }
      }
      timers.schedule(after: .milliseconds(200)) { [weak self] in
        self?.hangUp()
        answer(.done())
      }
    case .execute: ask(server, answer) { $0.execute(over: self, isWritten: true, then: $1) }
    case .cancel: ask(server, answer) { $0.execute(over: self, isWritten: false, then: $1) }
    case .read(let uuid, let offset):
      guard let handle = find(uuid)?.valueHandle else { return answer(.impossible) }
      let room = Int(mtu) - 1
      ask(server, answer) { attributes, then in
        attributes.readPart(handle, offset: offset ?? 0, over: self) { outcome in
          then(outcome.map { Array($0.prefix(room)) })
        }
      }
    case .write(let uuid, let bytes):
      guard let handle = find(uuid)?.valueHandle, bytes.count + 3 <= Int(mtu) else {
        return answer(.impossible)
      }
      ask(server, answer) { $0.write(handle, bytes, offset: 0, over: self, then: $1) }
    case .command(let uuid, let bytes):
      guard let handle = find(uuid)?.valueHandle, bytes.count + 3 <= Int(mtu) else {
        return answer(.impossible)
      }
      outgoing.send(packets: PacketQueue.packets(for: bytes.count)) { [weak self] in
        guard let self else { return }
        self.server?.attributes.write(handle, bytes, offset: 0, over: self) { _ in }
      }
      answer(.done())
    case .prepare(let uuid, let offset, let bytes):
      guard let handle = find(uuid)?.valueHandle else { return answer(.impossible) }
      ask(server, answer) { $0.prepare(handle, bytes, offset: offset, over: self, then: $1) }
    case .configure(let uuid, let bits):
      guard
        let handle = find(uuid)?.descriptors.first(where: {
          $0.spec.uuid == AttributeLayout.clientConfiguration
        })?.handle
      else { return answer(.impossible) }
      ask(server, answer) { $0.write(handle, [bits, 0], offset: 0, over: self, then: $1) }
    }
  }

  private func ask(
    _ server: AdapterPeer, _ answer: @escaping (CentralAnswer) -> Void,
    _ send: @escaping (any AttributeAccess, @escaping (Outcome) -> Void) -> Void
  ) {
    pending = answer
    outgoing.send { [weak self] in
      send(server.attributes) { outcome in
        guard let self, self.server === server else { return }
        self.incoming.send { [weak self] in
          switch outcome {
          case .success(let value): self?.end(.done(value))
          case .failure(let error): self?.end(.refused(error.code))
          }
        }
      }
    }
  }

  private func end(_ answer: CentralAnswer) {
    let waiting = pending
    pending = nil
    waiting?(answer)
  }

  // MARK: Pairing

  /// Pairs by Just Works: the other side decides.
  private func pair(with server: AdapterPeer) {
    timers.schedule(after: timing.pairing) { [weak self] in
      guard let self, self.server === server else { return }
      server.pairing.decide(on: central.address) { [weak self] isAccepted in
        guard let self, self.server === server else { return }
        guard isAccepted else { return end(.notPaired) }
        let key = medium.makeKey(.encrypted)
        security = key.security
        server.pairing.keep(key, for: central.address)
        server.pairing.agreed(on: key, with: central.address)
        end(.done())
      }
    }
  }
}

/// A request to a ``SimulatedCentral`` on its link: one ATT request each, a pairing, or an L2CAP channel.
package enum CentralRequest: Sendable, Hashable {
  /// Reads a characteristic; with an offset, a part of a long value.
  case read(BluetoothUUID, offset: Int?)
  /// Writes with one Write Request, which is refused if the value does not fit.
  case write(BluetoothUUID, [UInt8])
  /// Writes without a response.
  case command(BluetoothUUID, [UInt8])
  case prepare(BluetoothUUID, offset: Int, [UInt8])
  /// Writes what was prepared.
  case execute
  /// Discards what was prepared.
  case cancel
  /// Writes the client configuration: 1 for notifications, 2 for indications, 0 for neither.
  case configure(BluetoothUUID, UInt8)
  /// Collects the values of a subscription that outlived the previous link.
  case listen(BluetoothUUID)
  /// Requests a read, and hangs up before an answer that takes 200 ms can arrive.
  case hangUpDuringRead(BluetoothUUID)
  case pair
  /// Opens an L2CAP channel of the adapter, sends so many bytes, waits until they have come back, and closes it.
  case exchange(psm: UInt16, count: Int)
}

/// The outcome of a ``CentralRequest``.
package enum CentralAnswer: Sendable, Hashable {
  /// Done; the bytes are those of a read.
  case done([UInt8] = [])
  /// Refused, with the code of an ATT error.
  case refused(UInt8)
  case notPaired
  /// Not possible: there is no link, no such characteristic or channel, or other bytes came back.
  case impossible
}
