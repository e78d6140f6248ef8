// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus

extension InterfaceDescription {
  static let device = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.device,
      methods: [
        Method("Disconnect"), Method("Connect"), Method("ConnectProfile", ["UUID:s"]),
        Method("DisconnectProfile", ["UUID:s"]), Method("Pair"), Method("CancelPairing"),
      ],
      signals: [Signal("Disconnected", ["name:s", "message:s"], since: .v5_87)],
      properties: [
        Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
        Property("Alias", "s", isWritable: true), Property("Class", "u"), Property("Appearance", "q"),
        Property("Icon", "s"), Property("Paired", "b"), Property("Bonded", "b"),
        Property("Trusted", "b", isWritable: true), Property("Blocked", "b", isWritable: true),
        Property("LegacyPairing", "b"), Property("CablePairing", "b", since: .v5_87), Property("RSSI", "n"),
        Property("Connected", "b"),
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

/// The link of a device over Low Energy (`Bearer.LE1`), whose properties and methods are experimental.
final class BearerObject: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.bearer, signals: [.init("Disconnected", ["name:s", "message:s"])])
}

/// The battery of a device (`Battery1`), which the daemon reads by itself.
final class BatteryObject: ExportedInterface {
  let description: InterfaceDescription
  var percentage: UInt8

  init(_ percentage: UInt8, version: BlueZRelease) {
    self.percentage = percentage
    description = InterfaceDescription.battery[version]
  }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Percentage": .byte(percentage)
    case "Source": .string("GATT Battery Service")
    default: nil
    }
  }
}
