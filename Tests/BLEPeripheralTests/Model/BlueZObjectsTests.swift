// SPDX-License-Identifier: MIT
internal import BLECore
internal import DBus
internal import Testing

@testable internal import BLEPeripheral

@Suite("BlueZObjects")
struct BlueZObjectsTests {
  private static let adapter = "/org/bluez/hci0"
  private static let device = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

  private func added(_ path: String, _ interface: String, _ properties: [(String, DBusValue)]) -> Message {
    Message(signal: "InterfacesAdded", of: StandardInterface.objectManager, at: "/") { writer in
      writer.objectPath(path)
      writer.value(
        .dictionary(
          key: "s", value: "a{sv}", [.init(.string(interface), .properties(properties))]))
    }
  }

  private func changed(_ path: String, _ interface: String, _ properties: [(String, DBusValue)]) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(interface)
      writer.properties(properties)
      writer.value(.strings([]))
    }
  }

  private func removed(_ path: String, _ interface: String) -> Message {
    Message(signal: "InterfacesRemoved", of: StandardInterface.objectManager, at: "/") { writer in
      writer.objectPath(path)
      writer.value(.strings([interface]))
    }
  }

  @Test("A central is the same before and after bluetoothd knows its identity address")
  func identity() throws {
    var objects = BlueZObjects()
    _ = objects.take(
      added(
        Self.device, "org.bluez.Device1",
        [("Address", .string("C0:00:00:00:00:01")), ("Connected", .boolean(true))]))
    let before = try #require(objects.devices[Self.device]?.central)
    _ = objects.take(
      changed(Self.device, "org.bluez.Device1", [("Address", .string("F0:00:00:00:00:C1"))]))
    let after = try #require(objects.devices[Self.device]?.central)
    #expect("\(after.address)" == "F0:00:00:00:00:C1")
    #expect(after == before)
    #expect(Set([before, after]).count == 1)
  }

  @Test("The managers of an adapter may come after it")
  func managers() {
    var objects = BlueZObjects()
    _ = objects.take(added(Self.adapter, "org.bluez.Adapter1", [("Powered", .boolean(true))]))
    #expect(objects.adapters[Self.adapter]?.hasAdvertising == false)
    _ = objects.take(added(Self.adapter, "org.bluez.LEAdvertisingManager1", []))
    _ = objects.take(added(Self.adapter, "org.bluez.GattManager1", []))
    let adapter = objects.adapters[Self.adapter]
    #expect(adapter?.isPowered == true)
    #expect(adapter?.hasAdvertising == true)
    #expect(adapter?.hasServices == true)
  }

  @Test(
    "The version of BlueZ is that of the device id, unless that is another one",
    arguments: [
      ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v05ACp0001d0001", nil),
    ])
  func version(_ modalias: String, _ version: String?) {
    var objects = BlueZObjects()
    _ = objects.take(added(Self.adapter, "org.bluez.Adapter1", [("Modalias", .string(modalias))]))
    #expect(objects.adapters[Self.adapter]?.version?.description == version)
  }

  @Test("A device that connects and disconnects is reported once each")
  func links() {
    var objects = BlueZObjects()
    let address = ("Address", DBusValue.string("C0:00:00:00:00:01"))
    _ = objects.take(added(Self.device, "org.bluez.Device1", [address, ("Connected", .boolean(false))]))
    let steps: [(Bool, Int)] = [(true, 1), (true, 0), (false, 1), (false, 0)]
    for (isConnected, count) in steps {
      let message = changed(Self.device, "org.bluez.Device1", [("Connected", .boolean(isConnected))])
      let changes = objects.take(message)
      #expect(changes.count == count)
    }
  }

  @Test("A connected device that is removed has disconnected")
  func removal() {
    var objects = BlueZObjects()
    let properties: [(String, DBusValue)] = [
      ("Address", .string("C0:00:00:00:00:01")), ("Connected", .boolean(true)),
    ]
    _ = objects.take(added(Self.device, "org.bluez.Device1", properties))
    let changes = objects.take(removed(Self.device, "org.bluez.Device1"))
    let isDisconnected = if case .disconnected = changes.first { true } else { false }
    #expect(isDisconnected)
  }

  @Test("Values of wrong types, and signals of other objects, change nothing")
  func wrongTypes() {
    var objects = BlueZObjects()
    _ = objects.take(added(Self.adapter, "org.bluez.Adapter1", [("Powered", .string("yes"))]))
    #expect(objects.adapters[Self.adapter]?.isPowered == false)
    #expect(objects.take(changed("/other", "org.bluez.Device1", [("Connected", .boolean(true))])).isEmpty)
    #expect(objects.devices.isEmpty)
  }
}
