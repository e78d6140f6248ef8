// SPDX-License-Identifier: MIT

extension InterfaceDescription {
  static let device = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.device,
      methods: [
        Method("Disconnect"), Method("Connect"), Method("ConnectProfile", ["UUID:s"]),
        Method("DisconnectProfile", ["UUID:s"]), Method("Pair"), Method("CancelPairing"),
      ],
      properties: [
        Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
        Property("Alias", "s", isWritable: true), Property("Class", "u"), Property("Appearance", "q"),
        Property("Icon", "s"), Property("Paired", "b"), Property("Bonded", "b"),
        Property("Trusted", "b", isWritable: true), Property("Blocked", "b", isWritable: true),
        Property("LegacyPairing", "b"), Property("RSSI", "n"), Property("Connected", "b"),
        Property("UUIDs", "as"),
        Property("Modalias", "s"), Property("Adapter", "o"), Property("ManufacturerData", "a{qv}"),
        Property("ServiceData", "a{sv}"), Property("TxPower", "n"), Property("ServicesResolved", "b"),
        Property("AdvertisingFlags", "ay", since: .v5_82),
        Property("AdvertisingData", "a{yv}", since: .v5_82),
        Property("WakeAllowed", "b", isWritable: true), Property("Sets", "a{oa{sv}}", since: .v5_82),
      ]))

  static let battery = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.battery,
      properties: [Property("Percentage", "y"), Property("Source", "s", since: .v5_82)]))
}
