// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Names, order and types of everything on the bus, as observed on bluetoothd 5.66.
@Suite("Object manager")
struct ObjectManagerTests {
  private func layout(_ properties: [(String, DBusValue)]) -> [String] {
    properties.map { "\($0.0) \($0.1.typeSignature)" }
  }

  @Test("The adapter has the real properties")
  func adapterHasReal() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let properties = try await client.getAll("org.bluez.Adapter1", at: BusClient.adapterPath)
      #expect(
        layout(properties) == [
          "Address s", "AddressType s", "Name s", "Alias s", "Class u", "Powered b", "Discoverable b",
          "DiscoverableTimeout u", "Pairable b", "PairableTimeout u", "Discovering b", "UUIDs as",
          "Modalias s",
          "Roles as",
        ])
    }
  }

  @Test(
    "A device that is heard has the real properties",
    arguments: [
      (Address.band, "Name s|Alias s", "RSSI n", "ManufacturerData a{qv}"),
      (Address.thermometer, "Name s|Alias s", "RSSI n", "TxPower n"),
      (Address.beacon, "Alias s", "RSSI n", "ManufacturerData a{qv}"),
      (Address.eddystone, "Alias s", "RSSI n", "ServiceData a{sv}"),
    ])
  func deviceHeardHas(
    _ address: String, _ names: String, _ strength: String, _ data: String
  ) async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      _ = await client.log.first { $0.path == BusClient.devicePath(address) }
      let properties = try await client.getAll("org.bluez.Device1", at: BusClient.devicePath(address))
      var expected = ["Address s", "AddressType s"]
      expected += names.split(separator: "|").map(String.init)
      expected += ["Paired b", "Bonded b", "Trusted b", "Blocked b", "LegacyPairing b", strength]
      expected += ["Connected b", "UUIDs as", "Adapter o", data, "ServicesResolved b"]
      #expect(layout(properties) == expected)
    }
  }

  @Test("A connected device has the real tree")
  func connectedDeviceHas() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let objects = try await client.managedObjects()
      let device = BusClient.devicePath(Address.strap)
      let below = objects.keys.filter { $0.hasPrefix(device + "/") }.map {
        String($0.dropFirst(device.count + 1))
      }
      #expect(
        below.sorted() == [
          "service0006", "service0006/char0007", "service0006/char0007/desc0009", "service0006/char000a",
          "service0006/char000c", "service000e", "service000e/char000f", "service000e/char000f/desc0011",
          "service0012", "service0012/char0013", "service0012/char0015",
        ])
      #expect(objects[device]?["org.bluez.Device1"]?["UUIDs"] == .strings(strapUUIDs))
      #expect(objects[device]?["org.bluez.Battery1"]?["Percentage"] == .byte(87))
    }
  }

  @Test("Attributes have the real properties")
  func attributesHaveReal() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let service = BusClient.devicePath(Address.strap) + "/service0006"
      #expect(
        layout(try await client.getAll("org.bluez.GattService1", at: service)) == [
          "UUID s", "Device o", "Primary b", "Includes ao",
        ])
      #expect(
        layout(try await client.getAll("org.bluez.GattCharacteristic1", at: service + "/char0007")) == [
          "UUID s", "Service o", "Value ay", "Notifying b", "Flags as", "NotifyAcquired b", "MTU q",
        ])
      #expect(
        layout(try await client.getAll("org.bluez.GattCharacteristic1", at: service + "/char000c")) == [
          "UUID s", "Service o", "Value ay", "Flags as", "MTU q",
        ])
      #expect(
        layout(try await client.getAll("org.bluez.GattDescriptor1", at: service + "/char0007/desc0009")) == [
          "UUID s", "Characteristic o", "Value ay",
        ])
    }
  }

  @Test("The product ID becomes the modalias")
  func productIDBecomes() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.band)
      let text = DBusValue.string("bluetooth:v0157p0008d0181")
      #expect(await client.log.first { $0.sets("Modalias", to: text) } != nil)
    }
  }

  @Test("Interfaces are added with the standard ones around them")
  func interfacesAddedStandard() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let added = client.log.events().first { $0.path == BusClient.devicePath(Address.strap) }
      #expect(
        added
          == .added(
            path: BusClient.devicePath(Address.strap),
            interfaces: [StandardInterface.introspectable, "org.bluez.Device1", StandardInterface.properties])
      )
    }
  }

  @Test("Introspection names interfaces and children")
  func introspectionNamesInterfaces() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let device = try await introspect(BusClient.devicePath(Address.strap), client)
      #expect(device.contains("<interface name=\"org.bluez.Device1\"><method name=\"Disconnect\"></method>"))
      #expect(device.contains("<property name=\"Alias\" type=\"s\" access=\"readwrite\"></property>"))
      #expect(device.contains("<node name=\"service000e\"/>"))
      #expect(try await introspect("/", client).contains("<node name=\"org\"/>"))
      #expect(try await introspect("/org", client).hasSuffix("<node>\n  <node name=\"bluez\"/>\n</node>\n"))
      #expect(try await introspect("/nowhere", client).hasSuffix("<node>\n</node>\n"))
    }
  }

  private func introspect(_ path: String, _ client: BusClient) async throws -> String {
    try await client.call("Introspect", of: StandardInterface.introspectable, at: path).values.first?.text
      ?? ""
  }

  private let strapUUIDs = ["1800", "180a", "180d", "180f"].map { "0000\($0)-0000-1000-8000-00805f9b34fb" }
}

/// The errors of libdbus and the daemon's D-Bus layer for invalid calls.
@Suite("Standard error")
struct StandardErrorTests {
  private let adapter = "org.bluez.Adapter1"

  private func expect(
    _ error: DBusError?, _ name: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(error?.name == name, sourceLocation: sourceLocation)
    #expect(error?.message == text, sourceLocation: sourceLocation)
  }

  @Test("Unknown objects, interfaces and methods are told apart")
  func unknownObjectsInterfaces() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      expect(
        await client.failure("StartDiscovery", of: adapter, at: "/nowhere"), ErrorName.unknownObject,
        "Method \"StartDiscovery\" with signature \"\" on interface \"org.bluez.Adapter1\" doesn't exist\n")
      expect(
        await client.failure("StartDiscovery", of: adapter, at: "/org"), ErrorName.unknownMethod,
        "Method \"StartDiscovery\" with signature \"\" on interface \"org.bluez.Adapter1\" doesn't exist\n")
      expect(
        await client.failure("Foo", of: "org.bluez.Nothing1", at: BusClient.adapterPath),
        ErrorName.unknownMethod,
        "Method \"Foo\" with signature \"\" on interface \"org.bluez.Nothing1\" doesn't exist\n")
      expect(
        await client.failure("RemoveDevice", of: adapter, at: BusClient.adapterPath) { $0.string("/x") },
        ErrorName.unknownMethod,
        "Method \"RemoveDevice\" with signature \"s\" on interface \"org.bluez.Adapter1\" doesn't exist\n")
      #expect(
        await client.failure("GetAll", of: StandardInterface.properties, at: "/org/bluez") { $0.string("x") }?
          .name
          == ErrorName.unknownMethod)
    }
  }

  @Test("Properties that are not there cannot be read")
  func propertiesNotCannot() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let path = BusClient.adapterPath
      for name in ["Nope", "ExperimentalFeatures", "PowerState"] {
        expect(
          await failure { try await client.get(name, of: adapter, at: path) }, ErrorName.invalidArguments,
          "No such property '\(name)'")
      }
      expect(
        await failure { try await client.get("Nope", of: "org.bluez.Nope1", at: path) },
        ErrorName.invalidArguments, "No such interface 'org.bluez.Nope1'")
      expect(
        await failure { try await client.getAll("org.bluez.Nope1", at: path) }, ErrorName.invalidArguments,
        "No such interface 'org.bluez.Nope1'")
      #expect(try await client.getAll(StandardInterface.properties, at: path).isEmpty)
    }
  }

  @Test("A property is set only if it is known, writable, present and of its type")
  func propertiesSetOnly() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let path = BusClient.adapterPath
      expect(
        await failure { try await client.set("Nope", of: adapter, at: path, to: .boolean(true)) },
        ErrorName.unknownProperty, "No such property 'Nope'")
      expect(
        await failure { try await client.set("Address", of: adapter, at: path, to: .string("x")) },
        ErrorName.propertyReadOnly, "Property 'Address' is not writable")
      expect(
        await failure { try await client.set("Powered", of: adapter, at: path, to: .uint32(1)) },
        "org.freedesktop.DBus.Error.InvalidSignature", "Invalid signature for 'Powered'")
      try await client.find(Address.strap)
      let device = BusClient.devicePath(Address.strap)
      expect(
        await failure {
          try await client.set("WakeAllowed", of: "org.bluez.Device1", at: device, to: .boolean(true))
        },
        ErrorName.unknownProperty, "No such property 'WakeAllowed'")
    }
  }
}
