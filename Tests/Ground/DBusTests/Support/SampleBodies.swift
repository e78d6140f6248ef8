// SPDX-License-Identifier: MIT
import DBus

/// Bodies like those that BlueZ sends.
enum SampleBodies {
  static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  private static let deviceProperties = DBusValue.properties([
    ("Address", .string("F0:F1:F2:F3:F4:F5")), ("AddressType", .string("random")),
    ("Name", .string("Heart Strap")), ("Alias", .string("Heart Strap")), ("Paired", .boolean(false)),
    ("UUIDs", .strings(["0000180d-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb"])),
    ("Adapter", .objectPath("/org/bluez/hci0")), ("RSSI", .int16(-61)),
    (
      "ManufacturerData",
      .dictionary(key: "q", value: "v", [.init(.uint16(0x0157), .variant(.bytes([1, 0, 0xc8, 0x0f])))])
    ),
    (
      "ServiceData",
      .dictionary(
        key: "s", value: "v",
        [.init(.string("0000feaa-0000-1000-8000-00805f9b34fb"), .variant(.bytes([0x10, 0xee])))])
    ),
  ])

  private static func interfaces(_ pairs: [(String, DBusValue)]) -> DBusValue {
    .dictionary(key: "s", value: "a{sv}", pairs.map { .init(.string($0.0), $0.1) })
  }

  static let managedObjects: [DBusValue] = [
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      [
        .init(
          .objectPath("/org/bluez"), interfaces([("org.freedesktop.DBus.Introspectable", .properties([]))])),
        .init(
          .objectPath("/org/bluez/hci0"),
          interfaces([
            (
              "org.bluez.Adapter1",
              .properties([("Address", .string("00:AA:01:00:00:00")), ("Powered", .boolean(true))])
            )
          ])),
        .init(.objectPath(device), interfaces([("org.bluez.Device1", deviceProperties)])),
      ])
  ]
  static let interfacesAdded: [DBusValue] = [
    .objectPath(device), interfaces([("org.bluez.Device1", deviceProperties)]),
  ]
  static let interfacesRemoved: [DBusValue] = [.objectPath(device), .strings(["org.bluez.Device1"])]
  static let propertiesChanged: [DBusValue] = [
    .string("org.bluez.Device1"), .properties([("RSSI", .int16(-70))]), .strings(["TxPower"]),
  ]
  static let valueChanged: [DBusValue] = [
    .string("org.bluez.GattCharacteristic1"), .properties([("Value", .bytes([0, 60]))]), .strings([]),
  ]
  static let nothingChanged: [DBusValue] = [
    .string("org.bluez.Device1"), .properties([]), .array(of: "(ii)", []),
  ]
  static let everyType: [DBusValue] = [
    .byte(0xfe), .boolean(true), .int16(-2), .uint16(0xfffe), .int32(-3), .uint32(0xffff_fffd), .int64(-4),
    .uint64(.max - 3), .double(-0.5), .string("Ärger"), .objectPath("/a/b"), .signature("a{sv}"),
    .bytes([1, 2, 3]), .array(of: "n", [.int16(1), .int16(2)]),
    .dictionary(key: "u", value: "as", [.init(.uint32(1), .strings(["x", ""]))]),
    .structure([.byte(1), .int64(2)]), .variant(.variant(.structure([.string("deep"), .uint16(7)]))),
  ]

  static let all: [[DBusValue]] = [
    managedObjects, interfacesAdded, interfacesRemoved, propertiesChanged, valueChanged, nothingChanged,
    everyType,
  ]
}
