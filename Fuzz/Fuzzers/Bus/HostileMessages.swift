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
