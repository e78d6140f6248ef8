// SPDX-License-Identifier: MIT

/// A peripheral in the air: what it advertises, what its GATT server holds, and how well it behaves.
package struct PeripheralSpec: Sendable, Hashable {
  package var address: String
  package var isAddressPublic: Bool
  package var advertisement: AdvertisementSpec
  /// What is found after connecting, beside the service Generic Access, which every server has.
  package var services: [ServiceSpec]
  /// Whether the server has the service Generic Attribute, with Service Changed, too.
  package var hasGenericAttribute: Bool
  /// The ATT MTU that it agrees to.
  package var mtu: UInt16
  /// How its links are.
  package var link: LinkSpec
  /// Whether it is near at the beginning.
  package var isPresent: Bool
  /// How long after the beginning it comes into reach.
  package var appearsAfter: Duration?
  /// How long after the beginning it goes out of reach.
  package var vanishesAfter: Duration?
  /// What is wrong with it from the beginning: commands that stand.
  package var faults: [PeripheralCommand]

  package init(
    address: String, isAddressPublic: Bool = false, advertisement: AdvertisementSpec,
    services: [ServiceSpec] = [],
    hasGenericAttribute: Bool = false, mtu: UInt16 = 517, link: LinkSpec = LinkSpec(),
    isPresent: Bool = true,
    appearsAfter: Duration? = nil, vanishesAfter: Duration? = nil, faults: [PeripheralCommand] = []
  ) {
    self.address = address
    self.isAddressPublic = isAddressPublic
    self.advertisement = advertisement
    self.services = services
    self.hasGenericAttribute = hasGenericAttribute
    self.mtu = mtu
    self.link = link
    self.isPresent = isPresent
    self.appearsAfter = appearsAfter
    self.vanishesAfter = vanishesAfter
    self.faults = faults
  }

  /// Whether it is away at the beginning because it comes later.
  var isExpected: Bool {
    guard let appearsAfter else { return false }
    return vanishesAfter.map { appearsAfter < $0 } ?? true
  }
}

/// How the links to a peripheral are.
package struct LinkSpec: Sendable, Hashable {
  /// How long each packet takes, one at a time in each direction; nil is as with other peripherals.
  package var packetTime: Duration?

  package init(packetTime: Duration? = nil) { self.packetTime = packetTime }
}
