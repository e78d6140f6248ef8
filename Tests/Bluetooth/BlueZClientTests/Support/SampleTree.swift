// SPDX-License-Identifier: MIT
import DBus

@testable import BlueZClient

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

/// The interfaces of an object and their properties, in the order in which they are sent.
typealias Interfaces = KeyValuePairs<String, KeyValuePairs<String, DBusValue>>

extension DBusValue {
  /// An `a{sa{sv}}`.
  static func interfaces(_ interfaces: Interfaces) -> DBusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.map { .init(.string($0.key), .properties($0.value.map { ($0.key, $0.value) })) })
  }
}

/// The objects that BlueZ would send, as values.
enum Bodies {
  static func managedObjects(_ objects: KeyValuePairs<String, Interfaces>) -> [DBusValue] {
    [
      .dictionary(
        key: "o", value: "a{sa{sv}}",
        objects.map { .init(.objectPath($0.key), .interfaces($0.value)) })
    ]
  }

  static func interfacesAdded(_ path: String, _ interfaces: Interfaces) -> [DBusValue] {
    [.objectPath(path), .interfaces(interfaces)]
  }

  static func propertiesChanged(
    _ interface: String, _ values: KeyValuePairs<String, DBusValue>, invalidated: [String] = []
  ) -> [DBusValue] {
    [.string(interface), .properties(values.map { ($0.key, $0.value) }), .strings(invalidated)]
  }

  /// Hands `read` a reader of the marshalled values.
  static func read<Result>(_ values: [DBusValue], _ read: (inout WireReader) -> Result) -> Result {
    body(values).read(read)
  }

  /// The values, marshalled.
  static func body(_ values: [DBusValue]) -> MessageBody {
    Message(signal: "Test", of: "org.example.Test", at: "/") { writer in
      for value in values { writer.value(value) }
    }.body
  }
}

extension ObjectModel {
  mutating func replace(_ objects: KeyValuePairs<String, Interfaces>) {
    replace(with: Bodies.body(Bodies.managedObjects(objects)))
  }

  mutating func add(_ path: String, _ interfaces: Interfaces) -> [String] {
    Bodies.read(Bodies.interfacesAdded(path, interfaces)) { interfacesAdded(&$0) }.map(\.words)
  }

  mutating func remove(_ path: String, _ interfaces: [String]) -> [String] {
    Bodies.read([.objectPath(path), .strings(interfaces)]) { interfacesRemoved(&$0) }.map(\.words)
  }

  mutating func change(
    _ path: String, _ interface: String, _ values: KeyValuePairs<String, DBusValue>,
    invalidated: [String] = []
  ) -> [String] {
    Bodies.read(Bodies.propertiesChanged(interface, values, invalidated: invalidated)) {
      propertiesChanged(path, &$0)
    }.map(\.words)
  }
}

extension ObjectModel.Change {
  /// The change in words, for comparing.
  var words: String {
    switch self {
    case .adapter(let path): "adapter \(path)"
    case .adapterRemoved(let path): "adapter removed \(path)"
    case .deviceAdded(let path): "device added \(path)"
    case .device(let path, let advertised): "device \(path) \(advertised.rawValue)"
    case .linkOpened(let path): "link opened \(path)"
    case .linkLost(let path): "link lost \(path)"
    case .deviceRemoved(let record): "device removed \(record.path)"
    case .attributes: "attributes"
    case .services(let path): "services of \(path)"
    case .attributeRemoved(let path): "attribute removed \(path)"
    case .value(let path, let bytes): "value \(path) \(bytes)"
    }
  }
}
