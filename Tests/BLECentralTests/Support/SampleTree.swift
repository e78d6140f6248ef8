// SPDX-License-Identifier: MIT
import DBus

/// Paths and objects like BlueZ's.
enum SampleTree {
  static let adapter = "/org/bluez/hci0"
  static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"
  static let service = device + "/service0010"
  static let characteristic = service + "/char0011"
  static let descriptor = characteristic + "/desc0013"

  static let deviceInterfaces: Interfaces = [
    "org.freedesktop.DBus.Introspectable": [:],
    "org.bluez.Device1": [
      "Address": .string("F0:F1:F2:F3:F4:F5"), "AddressType": .string("random"),
      "Name": .string("Heart Strap"), "Alias": .string("Strap"), "Icon": .string("heart"),
      "Appearance": .uint16(833), "Class": .uint32(0x240404), "Modalias": .string("bluetooth:v1p2d3"),
      "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb", "nonsense"]), "Paired": .boolean(true),
      "Bonded": .boolean(true), "Trusted": .boolean(true), "Blocked": .boolean(true),
      "Connected": .boolean(true), "ServicesResolved": .boolean(true), "LegacyPairing": .boolean(false),
      "Adapter": .objectPath(adapter), "RSSI": .int16(-61), "TxPower": .int16(4),
      "AdvertisingFlags": .bytes([6]),
      "ManufacturerData": .dictionary(
        key: "q", value: "v",
        [.init(.uint16(0x0157), .variant(.bytes([1, 2]))), .init(.uint16(7), .variant(.string("no")))]),
      "ServiceData": .dictionary(
        key: "s", value: "v",
        [
          .init(.string("0000180d-0000-1000-8000-00805f9b34fb"), .variant(.bytes([3]))),
          .init(.string("nonsense"), .variant(.bytes([4]))),
        ]),
    ],
    "org.bluez.Battery1": ["Percentage": .byte(87), "Source": .string("GATT")],
  ]

  static let all: KeyValuePairs<String, Interfaces> = [
    "/org/bluez": ["org.bluez.AgentManager1": [:]],
    adapter: [
      "org.bluez.Adapter1": [
        "Address": .string("00:AA:01:00:00:00"), "Name": .string("BlueZ 5.66"), "Alias": .string("desk"),
        "Powered": .boolean(true), "Discovering": .boolean(false), "PowerState": .string("on"),
        "Roles": .strings(["central"]),
      ],
      "org.bluez.GattManager1": [:],
    ],
    device: deviceInterfaces,
    service: [
      "org.bluez.GattService1": [
        "UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Device": .objectPath(device),
        "Primary": .boolean(false), "Includes": .objectPaths([service + "x"]), "Handle": .uint16(0x10),
      ]
    ],
    characteristic: [
      "org.bluez.GattCharacteristic1": [
        "UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "Service": .objectPath(service),
        "Value": .bytes([]), "Flags": .strings(["read", "notify", "unheard-of"]), "Handle": .uint16(0x11),
        "MTU": .uint16(247), "Notifying": .boolean(false),
      ]
    ],
    descriptor: [
      "org.bluez.GattDescriptor1": [
        "UUID": .string("00002902-0000-1000-8000-00805f9b34fb"),
        "Characteristic": .objectPath(characteristic),
        "Value": .bytes([]), "Handle": .uint16(0x13),
      ]
    ],
  ]
}
