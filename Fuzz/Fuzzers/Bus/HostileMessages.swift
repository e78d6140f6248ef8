// SPDX-License-Identifier: MIT
internal import DBus
internal import TestSupport

/// Messages that a service might send; a byte decides whether they are what they claim to be.
extension ByteFeeder {
  /// The body of an answer to GetManagedObjects.
  mutating func snapshot(_ writer: inout MessageWriter) {
    let count = number(below: 8)
    writer.array(of: "{oa{sa{sv}}}") { writer in
      for _ in 0..<count {
        writer.entry { writer in
          writer.objectPath(path())
          interfaces(&writer)
        }
      }
    }
  }

  private mutating func interfaces(_ writer: inout MessageWriter) {
    let count = number(below: 4)
    writer.array(of: "{sa{sv}}") { writer in
      for _ in 0..<count {
        writer.entry { writer in
          writer.string(interface())
          writer.properties(properties())
        }
      }
    }
  }

  /// A signal or a call from the owner of `org.bluez`, or from another client.
  mutating func delivery() -> Delivery {
    let choice = byte()
    let manager = StandardInterface.objectManager
    let message: Message
    switch choice % 8 {
    case 0: message = Message(signal: "InterfacesAdded", of: manager, at: "/") { added(&$0) }
    case 1: message = Message(signal: "InterfacesRemoved", of: manager, at: "/") { removed(&$0) }
    case 2:
      message = Message(call: member(), of: interface(), at: "/blectl/hci0/monitor", to: ":1.7") { any(&$0) }
    case 3: message = Message(signal: member(), of: interface(), at: path()) { any(&$0) }
    default:
      message = Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path()) {
        changed(&$0)
      }
    }
    var delivery = Delivery(message, from: choice < 0xf0 ? ScriptedBlueZ.name : text())
    if choice & 0xf8 == 0x80 { distort(&delivery) }
    return delivery
  }

  /// Makes a message lie about itself.
  mutating func distort(_ delivery: inout Delivery) {
    switch number(below: 5) {
    case 0:
      delivery.signature = pick(["", "s", "oas", "sa{sv}as", "oa{sa{sv}}", "a{oa{sa{sv}}}", "v", "ay", "((("])
    case 1: delivery.body = raw(number(below: 200))
    case 2: delivery.path = text()
    case 3: delivery.member = nil
    default:
      for _ in 0..<4 where !delivery.body.isEmpty {
        delivery.body[number(below: min(256, delivery.body.count))] = byte()
      }
    }
  }

  private mutating func member() -> String {
    pick([
      "DeviceFound", "DeviceLost", "Activate", "Release", "Get", "GetAll", "GetManagedObjects", "Ping", "X",
      "",
    ])
  }

  private mutating func any(_ writer: inout MessageWriter) {
    for _ in 0..<number(below: 3) { writer.value(anyValue(depth: 0)) }
  }

  private mutating func added(_ writer: inout MessageWriter) {
    writer.objectPath(path())
    interfaces(&writer)
  }

  private mutating func removed(_ writer: inout MessageWriter) {
    writer.objectPath(path())
    writer.value(.strings((0..<number(below: 4)).map { _ in interface() }))
  }

  private mutating func changed(_ writer: inout MessageWriter) {
    writer.string(interface())
    writer.properties(properties())
    writer.value(.strings((0..<number(below: 4)).map { _ in property().0 }))
  }
}

/// Values, names and paths that a service might send: most of the right kind, some of any.
extension ByteFeeder {
  static let paths = [
    "/org/bluez/hci0", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5",
    "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010",
    "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010/char0011",
    "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010/char0011/desc0012", "/org/bluez/hci1", "/",
    "/org/bluez",
    "/org/bluez/" + String(repeating: "x", count: 300), "/org/bluez/hci0/dev_", "/a", "",
  ]

  static let interfaces = [
    "org.bluez.Device1", "org.bluez.Adapter1", "org.bluez.GattCharacteristic1", "org.bluez.GattService1",
    "org.bluez.GattDescriptor1", "org.bluez.Battery1", "org.bluez.AdvertisementMonitorManager1",
    "org.bluez.Nonsense1",
    "",
  ]

  /// Properties with the type that BlueZ documents.
  private static let properties = [
    ("Address", "s"), ("AddressType", "s"), ("Name", "s"), ("Alias", "s"), ("Icon", "s"), ("Appearance", "q"),
    ("Class", "u"), ("Modalias", "s"), ("UUIDs", "as"), ("Paired", "b"), ("Bonded", "b"), ("Trusted", "b"),
    ("Blocked", "b"), ("Connected", "b"), ("ServicesResolved", "b"), ("RSSI", "n"), ("TxPower", "n"),
    ("ManufacturerData", "a{qv}"), ("ServiceData", "a{sv}"), ("AdvertisingFlags", "ay"), ("Percentage", "y"),
    ("Adapter", "o"), ("Powered", "b"), ("Discovering", "b"), ("PowerState", "s"), ("UUID", "s"),
    ("Device", "o"),
    ("Service", "o"), ("Characteristic", "o"), ("Primary", "b"), ("Includes", "ao"), ("Handle", "q"),
    ("Flags", "as"),
    ("MTU", "q"), ("Value", "ay"), ("Nonsense", "v"), ("", "s"),
  ]

  private static let texts = [
    "F0:F1:F2:F3:F4:F5", "random", "public", "MI Band 2", "0000180d-0000-1000-8000-00805f9b34fb", "2a37",
    "read",
    "notify", "/org/bluez/hci0", "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5",
    "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010",
    "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010/char0011", "off-blocked", "usb:v1D6Bp0246d0542", "",
    "\u{1b}[2J\u{7}\r\n\t", "\u{202e}\u{2066}\u{200f}", String(repeating: "\u{301}", count: 40), "\\u{1b}",
    "e\u{301}🎹",
    String(repeating: "W", count: 248), "0000180d-0000-1000-8000-00805f9b34f", "{0000180d}", "\u{feff}",
    "org.bluez",
  ]

  mutating func path() -> String { pick(Self.paths) }
  mutating func interface() -> String { pick(Self.interfaces) }

  mutating func text() -> String {
    let choice = byte()
    if choice < 0xc0 { return Self.texts[Int(choice) % Self.texts.count] }
    return String(decoding: raw(Int(choice & 0x3f)).filter { $0 != 0 }, as: UTF8.self)
  }

  /// A property, most often with a value of its type.
  mutating func property() -> (String, DBusValue) {
    let (name, type) = pick(Self.properties)
    return (name, byte() < 0xd0 ? value(of: type) : anyValue(depth: 0))
  }

  mutating func properties() -> [(String, DBusValue)] { (0..<number(below: 12)).map { _ in property() } }

  private mutating func value(of type: String) -> DBusValue {
    switch type {
    case "s": .string(text())
    case "o": .objectPath(byte() < 0x80 ? pick(Self.paths) : text())
    case "b": .boolean(byte() & 1 == 1)
    case "y": .byte(byte())
    case "n": .int16(Int16(truncatingIfNeeded: integer()))
    case "q": .uint16(UInt16(truncatingIfNeeded: integer()))
    case "u": .uint32(UInt32(truncatingIfNeeded: integer()))
    case "as": .strings((0..<number(below: 6)).map { _ in text() })
    case "ao": .objectPaths((0..<number(below: 6)).map { _ in pick(Self.paths) })
    case "ay": .bytes(raw(number(below: 40)))
    case "a{qv}":
      .dictionary(
        key: "q", value: "v",
        (0..<number(below: 4)).map { _ in
          .init(.uint16(UInt16(byte()) << 8 | UInt16(byte())), .variant(data()))
        })
    case "a{sv}":
      .dictionary(
        key: "s", value: "v", (0..<number(below: 4)).map { _ in .init(.string(text()), .variant(data())) })
    default: anyValue(depth: 0)
    }
  }

  private mutating func data() -> DBusValue {
    byte() < 0xd0 ? .bytes(raw(number(below: 32))) : anyValue(depth: 1)
  }

  /// Any value; what lies in it is at most three levels deep.
  mutating func anyValue(depth: Int) -> DBusValue {
    switch number(below: depth < 3 ? 17 : 12) {
    case 0: return .byte(byte())
    case 1: return .boolean(byte() & 1 == 1)
    case 2: return .int16(Int16(truncatingIfNeeded: integer()))
    case 3: return .uint16(UInt16(truncatingIfNeeded: integer()))
    case 4: return .int32(Int32(truncatingIfNeeded: integer()))
    case 5: return .uint32(UInt32(truncatingIfNeeded: integer()))
    case 6: return .int64(Int64(truncatingIfNeeded: integer()))
    case 7: return .uint64(integer())
    case 8: return .double(Double(bitPattern: integer()))
    case 9: return .string(text())
    case 10: return .objectPath(path())
    case 11: return .bytes(raw(number(below: 64)))
    case 12: return .variant(anyValue(depth: depth + 1))
    case 13: return .structure((0...number(below: 3)).map { _ in anyValue(depth: depth + 1) })
    case 14:
      let element = anyValue(depth: depth + 1)
      return .array(of: element.typeSignature, Array(repeating: element, count: number(below: 5)))
    case 15: return .properties((0..<number(below: 3)).map { _ in (text(), anyValue(depth: depth + 1)) })
    default: return .array(of: "(" + String(repeating: "a", count: number(below: 40)) + "u)", [])
    }
  }
}
