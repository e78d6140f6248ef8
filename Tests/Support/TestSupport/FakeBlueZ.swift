// SPDX-License-Identifier: MIT
package import DBus

/// An `org.bluez` that says what a test makes it say, on a bus that checks nothing.
///
/// It serves one client after the other.
package final class FakeBlueZ: Sendable {
  /// The contents of an object: interfaces, with properties.
  package typealias Interfaces = [(String, [(String, DBusValue)])]

  /// The unique name of the fake.
  package static let name = ":1.1"
  package static let adapterPath = "/org/bluez/hci0"

  /// An adapter that is on.
  package static let adapter: (String, Interfaces) = (
    adapterPath,
    [
      (
        "org.bluez.Adapter1",
        [
          ("Address", .string("00:1A:7D:DA:71:13")), ("Powered", .boolean(true)), ("Alias", .string("fake")),
          ("Roles", .strings(["central"])),
        ]
      )
    ]
  )

  /// An adapter that is on, and takes services and advertisements.
  package static let servingAdapter: (String, Interfaces) = (
    adapterPath, adapter.1 + [("org.bluez.GattManager1", []), ("org.bluez.LEAdvertisingManager1", [])]
  )

  private let bus: ScriptedBus
  package var address: String { bus.address }

  /// Starts it on a thread of its own.
  ///
  /// - Parameters:
  ///   - objects: the answer to GetManagedObjects.
  ///   - edit: changes that answer before it is sent.
  ///   - heard: called with each call, also with those that want no answer.
  ///   - answer: answers any other call; nil is an empty reply.
  ///   - behind: what the bus says together with the answer, so that the client reads both at once.
  ///   - script: what is said when a scan has begun.
  /// - Throws: when there is no socket.
  package init(
    _ objects: [(String, Interfaces)] = [FakeBlueZ.adapter],
    edit: @escaping @Sendable (inout Delivery) -> Void = { _ in },
    heard: @escaping @Sendable (Message) -> Void = { _ in },
    answer: @escaping @Sendable (Message) -> Message? = { _ in nil },
    behind: @escaping @Sendable (Message) -> [Message] = { _ in [] },
    script: @escaping @Sendable (ScriptedBus) -> Void = { _ in }
  ) throws {
    let snapshot = FakeBlueZ.writer(of: objects)
    bus = try ScriptedBus.start { bus in
      while bus.welcome() {
        while let call = bus.next() {
          heard(call)
          guard call.wantsReply else { continue }
          if call.member == "GetManagedObjects" {
            var delivery = Delivery(Message(replyTo: call, snapshot), from: FakeBlueZ.name)
            edit(&delivery)
            bus.send(delivery)
          } else {
            let reply = Delivery(answer(call) ?? Message(replyTo: call), from: FakeBlueZ.name)
            bus.send([reply] + behind(call).map { Delivery($0, from: FakeBlueZ.sender(of: $0)) })
          }
          if call.member == "StartDiscovery" { script(bus) }
        }
      }
    }
  }

  deinit { bus.stop() }

  /// The bus itself says who owns a name.
  private static func sender(of message: Message) -> String {
    message.member == "NameOwnerChanged" ? BusDriver.name : name
  }

  private static func writer(of objects: [(String, Interfaces)]) -> @Sendable (inout MessageWriter) -> Void {
    { writer in
      writer.array(of: "{oa{sa{sv}}}") { writer in
        for (path, interfaces) in objects {
          writer.entry { writer in
            writer.objectPath(path)
            write(interfaces, &writer)
          }
        }
      }
    }
  }

  private static func write(_ interfaces: Interfaces, _ writer: inout MessageWriter) {
    writer.array(of: "{sa{sv}}") { writer in
      for (interface, properties) in interfaces {
        writer.entry { writer in
          writer.string(interface)
          writer.properties(properties)
        }
      }
    }
  }

  // MARK: Signals

  /// The owner of `org.bluez` changes; an empty name is none.
  package static func ownerChanged(from former: String, to owner: String) -> Message {
    Message(signal: "NameOwnerChanged", of: BusDriver.interface, at: BusDriver.path) { writer in
      for text in ["org.bluez", former, owner] { writer.string(text) }
    }
  }

  /// A device, or another object, appears.
  package static func added(
    _ path: String, of interface: String = "org.bluez.Device1", _ properties: [(String, DBusValue)]
  ) -> Message {
    Message(signal: "InterfacesAdded", of: StandardInterface.objectManager, at: "/") { writer in
      writer.objectPath(path)
      write([(interface, properties)], &writer)
    }
  }

  /// A device is forgotten, or another object removed.
  package static func removed(_ path: String, of interface: String = "org.bluez.Device1") -> Message {
    Message(signal: "InterfacesRemoved", of: StandardInterface.objectManager, at: "/") { writer in
      writer.objectPath(path)
      writer.value(.strings([interface]))
    }
  }

  /// Properties of an object change.
  package static func changed(
    _ path: String, of interface: String = "org.bluez.Device1", _ properties: [(String, DBusValue)]
  ) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(interface)
      writer.properties(properties)
      writer.value(.strings([]))
    }
  }

  // MARK: Devices

  /// The address of device number `index`.
  package static func deviceAddress(_ index: Int) -> String {
    let digits = String(0xc000_0000_0000 + index, radix: 16, uppercase: true)
    return stride(from: 0, to: 12, by: 2).map { String(digits.dropFirst($0).prefix(2)) }.joined(
      separator: ":")
  }

  package static func devicePath(_ index: Int) -> String {
    adapterPath + "/dev_" + deviceAddress(index).replacing(":", with: "_")
  }

  /// The interfaces of a device that was just heard.
  package static func device(_ index: Int, name: String? = nil) -> [(String, DBusValue)] {
    [
      ("Address", .string(deviceAddress(index))), ("AddressType", .string("random")),
      ("Adapter", .objectPath(adapterPath)), ("RSSI", .int16(-60)),
    ] + (name.map { [("Name", .string($0)), ("Alias", .string($0))] } ?? [])
  }
}
