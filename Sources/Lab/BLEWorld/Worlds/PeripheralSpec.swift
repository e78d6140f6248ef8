// SPDX-License-Identifier: MIT
package import BLEFormats

/// A peripheral: its advertisement, its GATT server and its faults.
package struct PeripheralSpec: Sendable, Equatable {
  package var address: String
  /// A note for people, such as a name of their own.
  package var comment: String?
  package var isAddressPublic: Bool
  /// The resolvable private address that it sends instead; bluetoothd learns `address` with a bond's keys.
  package var privateAddress: String?
  package var advertisement: AdvertisementSpec
  /// Its services, besides Generic Access, which every server has.
  package var services: [ServiceSpec]
  /// The L2CAP channels that centrals can open.
  package var channels: [ChannelSpec]
  /// Its serial port, whose service follows the others.
  package var uart: SerialPortSpec?
  /// Its SMP server, with which its firmware can be updated.
  package var smp: SMPSpec?
  /// Its update by a boot loader of Nordic's; a peripheral has at most one of both.
  package var dfu: DFUSpec?
  /// True if the server also has the Generic Attribute service with Service Changed.
  package var hasGenericAttribute: Bool
  package var mtu: UInt16
  package var link: LinkSpec
  package var pairing: PairingSpec
  /// True if it is in range at the start.
  package var isPresent: Bool
  /// The time from the start until it comes into range.
  package var appearsAfter: Duration?
  /// The time from the start until it goes out of range.
  package var vanishesAfter: Duration?
  /// The faults that apply from the start.
  package var faults: [PeripheralAction]

  package init(
    address: String, isAddressPublic: Bool = false, privateAddress: String? = nil,
    advertisement: AdvertisementSpec,
    services: [ServiceSpec] = [], uart: SerialPortSpec? = nil, smp: SMPSpec? = nil, dfu: DFUSpec? = nil,
    channels: [ChannelSpec] = [],
    hasGenericAttribute: Bool = false, mtu: UInt16 = 517, link: LinkSpec = LinkSpec(),
    pairing: PairingSpec = PairingSpec(), isPresent: Bool = true,
    appearsAfter: Duration? = nil, vanishesAfter: Duration? = nil, faults: [PeripheralAction] = []
  ) {
    (self.address, self.isAddressPublic, self.privateAddress) = (address, isAddressPublic, privateAddress)
    (self.advertisement, self.services, self.channels, self.uart) = (advertisement, services, channels, uart)
    (self.smp, self.dfu) = (smp, dfu)
    (self.hasGenericAttribute, self.mtu, self.link, self.pairing) = (hasGenericAttribute, mtu, link, pairing)
    (self.isPresent, self.appearsAfter, self.vanishesAfter) = (isPresent, appearsAfter, vanishesAfter)
    self.faults = faults
  }

  /// Its services at the start, and those of its updates and of its serial port.
  package var allServices: [ServiceSpec] {
    if let firmwareVersion {
      let running = dfu?.startsInBootloader == true && bootloaderAddress == nil ? inBootloader() : nil
      return (running ?? self.running(version: firmwareVersion)).allServices
    }
    return services + [uart?.attributes].compactMap(\.self)
  }

  /// Its advertisement as time passes; encrypted data is that of another address, if there is one.
  package func timeline(from other: BluetoothAddress? = nil) -> AdvertisementTimeline {
    AdvertisementTimeline(advertisement, from: other ?? BluetoothAddress(address))
  }

  /// True if it is out of range at the start because it appears later.
  package var isExpected: Bool {
    guard let appearsAfter else { return false }
    return vanishesAfter.map { appearsAfter < $0 } ?? true
  }
}

package struct LinkSpec: Sendable, Equatable {
  /// The time per packet in each direction; nil for the default of the medium.
  package var packetTime: Duration?
  /// The number of packets that each direction sends in that time, all at once.
  package var packets = 1

  package init(packetTime: Duration? = nil, packets: Int = 1) {
    (self.packetTime, self.packets) = (packetTime, packets)
  }
}

/// An L2CAP channel that a peripheral offers.
package struct ChannelSpec: Sendable, Equatable {
  /// Its number, 1 to 255.
  package var psm: UInt16
  package var behaviour: ChannelBehaviour

  package init(psm: UInt16, _ behaviour: ChannelBehaviour = .echo) {
    (self.psm, self.behaviour) = (psm, behaviour)
  }
}

/// The response of a peripheral to the packets of a channel.
package enum ChannelBehaviour: Sendable, Equatable {
  /// Sends them back.
  case echo
  /// Takes none: it grants no more credits.
  case hold
  /// Sends them back, and closes the channel after so many bytes.
  case close(after: Int)
}
