// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// The errors of libdbus and the daemon's D-Bus layer for invalid calls.
@Suite struct StandardErrorTests {
  private let adapter = "org.bluez.Adapter1"

  private func expect(
    _ error: DBusError?, _ name: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(error?.name == name, sourceLocation: sourceLocation)
    #expect(error?.message == text, sourceLocation: sourceLocation)
  }

  @Test func unknownObjectsInterfacesAndMethodsAreToldApart() async throws {
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

  @Test func propertiesThatAreNotThereCannotBeRead() async throws {
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

  @Test func propertiesAreSetOnlyIfKnownWritablePresentAndOfTheirType() async throws {
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
