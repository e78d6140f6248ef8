// SPDX-License-Identifier: MIT

/// What an adapter hears and connects to: a peripheral of the world, or another adapter that advertises.
protocol RadioPeer: AnyObject {
  /// Its own address, by which it is known for good.
  var address: String { get }
  var isAddressPublic: Bool { get }
  /// The resolvable private address that it sends instead of its own; nil if it hides nothing.
  var privateAddress: String? { get }
  /// The largest ATT MTU that it accepts.
  var mtu: UInt16 { get }
  /// The adapter that sends, which does not hear itself; nil for a peripheral of the world.
  var host: String? { get }
  /// The time between two advertisements.
  var interval: Duration { get }
  var isAdvertising: Bool { get }
  /// Whether it can be connected to.
  var isReachable: Bool { get }
  /// The next report that a scanner gets.
  func nextReport() -> AdvertisingReport
  /// Its current faults.
  var faults: PeripheralFaults { get set }
  /// The time per packet of a link.
  var packetTime: Duration { get }
  /// Its side of pairing.
  var pairing: PairingPeer { get }
  /// Its attributes.
  var attributes: any AttributeAccess { get }
  func connect(_ link: any PeripheralLink)
  /// Ends a link after the central has closed it.
  func disconnect(_ link: any PeripheralLink)
}

extension RadioPeer {
  /// The address that adapters see which cannot resolve it.
  var sentAddress: String { privateAddress ?? address }
}

/// Attributes that centrals discover, read and write.
protocol AttributeAccess: AnyObject {
  var layout: AttributeLayout { get }
  /// Reads an attribute from an offset on, in as many parts as the MTU of the link requires.
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Writes an attribute, in as many parts as the MTU of the link requires.
  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Reads with one request: at most as much as the MTU of the link permits counts.
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Prepares a part of a write.
  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Writes what was prepared over a link, or drops it.
  func execute(
    over link: any PeripheralLink, isWritten: Bool,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
}

/// What centrals without an adapter ask for, and only adapters offer.
extension AttributeAccess {
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }

  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }

  func execute(
    over link: any PeripheralLink, isWritten: Bool,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }
}

extension SimulatedPeripheral: RadioPeer {
  var address: String { spec.address }
  var isAddressPublic: Bool { spec.isAddressPublic }
  var privateAddress: String? { spec.privateAddress }
  var mtu: UInt16 { spec.mtu }
  var host: String? { nil }
  var interval: Duration { spec.advertisement.interval }
  var attributes: any AttributeAccess { server }
  func disconnect(_ link: any PeripheralLink) { disconnect() }
}

/// A peripheral of the world has one link at a time.
extension AttributeServer: AttributeAccess {
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping (Outcome) -> Void
  ) { read(handle, offset: offset, then: answer) }

  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Outcome) -> Void
  ) { write(handle, bytes, offset: offset, then: answer) }
}

/// An adapter as others hear it and connect to it: its advertisements, its links and its attributes.
///
/// A beacon has a peer of its own, since it has an address of its own.
final class AdapterPeer: RadioPeer {
  let address: String
  let isAddressPublic: Bool
  var privateAddress: String?
  private let hostAddress: String
  var host: String? { hostAddress }
  let attributes: any AttributeAccess
  /// An adapter pairs as one without a display and keys.
  let pairing = PairingPeer(PairingSpec())
  let mtu: UInt16 = 517
  var faults = PeripheralFaults([])
  private let defaultPacketTime: () -> Duration
  /// Whether the radio is on.
  private let isOn: () -> Bool
  private var advertisements: [(number: Int, spec: AdvertisementSpec)] = []
  private var reportCount = 0
  private(set) var links: [any PeripheralLink] = []
  /// Called with a new link, and with one that the central has closed.
  var onConnect: (any PeripheralLink) -> Void = { _ in }
  var onDisconnect: (any PeripheralLink) -> Void = { _ in }

  /// - Parameters:
  ///   - address: its address; a beacon has a random one.
  ///   - host: the address of the adapter.
  ///   - attributes: what centrals find.
  ///   - packetTime: the time per packet of a link.
  ///   - isOn: whether the radio is on.
  init(
    address: String, host: String, attributes: any AttributeAccess, packetTime: @escaping () -> Duration,
    isOn: @escaping () -> Bool
  ) {
    self.address = address
    hostAddress = host
    isAddressPublic = address == host
    self.attributes = attributes
    defaultPacketTime = packetTime
    self.isOn = isOn
  }

  // MARK: Advertising

  var packetTime: Duration { faults.packetTime ?? defaultPacketTime() }
  var isAdvertising: Bool { !advertisements.isEmpty && isOn() && !faults.isUnheard }
  var isReachable: Bool { isAdvertising && advertisements.contains { $0.spec.isConnectable } }
  var interval: Duration { advertisements.map(\.spec.interval).min() ?? .seconds(1) }
  var advertisementCount: Int { advertisements.count }
  /// The number of its newest advertisement, which no other one has.
  var newestAdvertisement: Int? { advertisements.last?.number }

  func advertise(_ spec: AdvertisementSpec, number: Int) { advertisements.append((number, spec)) }

  func stopAdvertising(_ number: Int) { advertisements.removeAll { $0.number == number } }

  /// The advertisements take turns.
  func nextReport() -> AdvertisingReport {
    defer { reportCount += 1 }
    let spec = advertisements[reportCount % advertisements.count].spec
    return AdvertisingReport(advertisement: spec, name: spec.name, rssi: spec.rssi)
  }

  // MARK: Links

  func connect(_ link: any PeripheralLink) {
    links.append(link)
    onConnect(link)
  }

  func disconnect(_ link: any PeripheralLink) {
    guard let index = links.firstIndex(where: { $0 === link }) else { return }
    links.remove(at: index)
    onDisconnect(link)
  }

  func retime() { for link in links { link.retime() } }
}

/// Observers of an event, each until it has seen enough.
struct Observers<Value> {
  private var observers: [(Value) -> Bool] = []

  /// Adds an observer, which returns whether to call it again.
  mutating func add(_ observer: @escaping (Value) -> Bool) { observers.append(observer) }

  /// Calls the observers.
  mutating func notify(_ value: Value) {
    guard !observers.isEmpty else { return }
    observers = observers.filter { $0(value) }
  }
}

extension Observers<Void> {
  mutating func add(_ observer: @escaping () -> Bool) { add { (_: Void) in observer() } }
}
