// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The adapter as others hear it and connect to it.
extension AdapterObject {
  func makePeer() -> AdapterPeer {
    let peer = AdapterPeer(
      address: spec.address, host: spec.address, attributes: database,
      packetTime: { [medium = daemon.medium] in medium.defaultPacketTime },
      isOn: { [weak self] in self?.isOnAir ?? false })
    peer.onConnect = { [weak self] in self?.opened($0) }
    peer.onDisconnect = { [weak self] in self?.closed($0) }
    peer.pairing.onRequest = { [weak self] address, answer in
      guard let device = self?.device(address) else { return answer(false) }
      device.decideOnPairing(then: answer)
    }
    peer.pairing.onKey = { [weak self] key, address in self?.device(address)?.hasPaired(with: key) }
    return peer
  }

  /// A peer for a beacon, which gets a random address that nobody can resolve.
  func makeBeacon(number: Int) -> AdapterPeer {
    let own = spec.address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    let bytes = [UInt8(truncatingIfNeeded: number) & 0x3F] + own.dropFirst().map { $0 ^ 0x5A }
    let address = bytes.map { Hex.string([$0]).uppercased() }.joined(separator: ":")
    return AdapterPeer(
      address: address, host: spec.address, attributes: database, packetTime: { .zero },
      isOn: { [weak self] in self?.isOnAir ?? false })
  }

  private var isOnAir: Bool { isPowered && !isRemoved }

  // MARK: Links

  /// A central has connected; the daemon sees a device.
  private func opened(_ link: any PeripheralLink) {
    database.opened(link)
    let central = link.central
    daemon.timers.schedule(after: .zero) { [weak self, weak link] in
      guard let self, let link, database.links.contains(where: { $0 === link }) else { return }
      let known = device(central.address)
      let device = known ?? DeviceObject(central, adapter: self)
      if known == nil { add(device) }
      device.accept(link)
    }
  }

  /// A central has closed its link.
  private func closed(_ link: any PeripheralLink) {
    database.closed(link)
    device(link.central.address)?.linkEndedByCentral()
  }
}
