// SPDX-License-Identifier: MIT
internal import BLEWorld

/// An adapter as others hear it and connect to it: its advertisements, its links and its attributes.
///
/// A beacon has its own peer, because it has its own address.
final class AdapterPeer: RadioPeer {
  let address: String
  let isAddressPublic: Bool
  var privateAddress: String?
  private let hostAddress: String
  var host: String? { hostAddress }
  let attributes: any AttributeAccess
  /// An adapter pairs like a device without display and keys.
  let pairing = PairingPeer(PairingSpec())
  let mtu: UInt16 = 517
  var faults = ActiveFaults()
  private let defaultPacketTime: () -> Duration
  private let isOn: () -> Bool
  private var advertisements: [(number: Int, spec: AdvertisementSpec)] = []
  private var reportCount = 0
  private(set) var links: [any PeripheralLink] = []
  /// Called with a new link, and with one that the central has closed.
  var onConnect: (any PeripheralLink) -> Void = { _ in }
  var onDisconnect: (any PeripheralLink) -> Void = { _ in }

  /// The address of a beacon is random, and not that of its `host`; `packetTime` is that of a link.
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

  var packetTime: Duration { faults[SlowLink.self]?.packetTime ?? defaultPacketTime() }
  var isAdvertising: Bool { !advertisements.isEmpty && isOn() && faults[LoseAdverts.self] == nil }
  var isReachable: Bool { isAdvertising && advertisements.contains { $0.spec.isConnectable } }
  var interval: Duration { advertisements.map(\.spec.interval).min() ?? .seconds(1) }
  var advertisementCount: Int { advertisements.count }
  /// The unique number of its newest advertisement.
  var newestAdvertisement: Int? { advertisements.last?.number }

  func advertise(_ spec: AdvertisementSpec, number: Int) { advertisements.append((number, spec)) }

  func stopAdvertising(_ number: Int) { advertisements.removeAll { $0.number == number } }

  /// Returns the next report; the advertisements take turns.
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
