// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BlueZClient

@Suite("ObjectModel with unexpected data")
struct ObjectModelRobustnessTests {
  private static let wrong = DBusValue.structure([.byte(1), .strings(["x"])])

  @Test(
    "A property of the wrong type is logged and skipped, the ones beside it are kept",
    arguments: [
      (
        "org.bluez.Adapter1",
        ["Address", "Name", "Alias", "Powered", "Discovering", "PowerState", "Modalias"]
      ),
      (
        "org.bluez.Device1",
        [
          "RSSI", "TxPower", "ManufacturerData", "ServiceData", "UUIDs", "Address", "AddressType", "Name",
          "Icon", "Appearance", "Class", "Modalias", "Adapter", "Paired", "Bonded", "Trusted", "Blocked",
          "Connected", "ServicesResolved", "AdvertisingFlags",
        ]
      ), ("org.bluez.GattService1", ["UUID", "Device", "Primary", "Includes"]),
      ("org.bluez.GattCharacteristic1", ["UUID", "Service", "Flags", "MTU"]),
      ("org.bluez.GattDescriptor1", ["UUID", "Characteristic"]),
    ])
  func wrongTypes(interface: String, properties: [String]) {
    for property in properties {
      var model = ObjectModel()
      _ = model.add(
        "/object", [interface: [property: Self.wrong, "Handle": .uint16(7), "Alias": .string("x")]])
      #expect(
        model.takeMismatches().filter { $0.property == property }
          == [.init(path: "/object", interface: interface, property: property, signature: "(yas)")])
      let isNeighbourKept: Bool
      switch interface {
      case "org.bluez.Adapter1":
        isNeighbourKept = property == "Alias" || model.adapters["/object"]?.alias == "x"
      case "org.bluez.Device1": isNeighbourKept = model.devices["/object"]?.alias == "x"
      case "org.bluez.GattService1": isNeighbourKept = model.services["/object"]?.handle == 7
      case "org.bluez.GattCharacteristic1": isNeighbourKept = model.characteristics["/object"]?.handle == 7
      default: isNeighbourKept = model.descriptors["/object"]?.handle == 7
      }
      #expect(isNeighbourKept, "\(property) took its neighbour along")
    }
  }

  @Test("A change of the wrong type leaves the old value, and mismatches are handed over once")
  func wrongChange() {
    var model = ObjectModel()
    model.replace(SampleTree.all)
    #expect(
      model.change(SampleTree.device, "org.bluez.Device1", ["RSSI": .string("loud"), "TxPower": .int16(1)])
        == ["device \(SampleTree.device) 2"])
    #expect(model.devices[SampleTree.device]?.rssi == -61)
    #expect(model.devices[SampleTree.device]?.txPower == 1)
    #expect(
      model.takeMismatches() == [
        .init(path: SampleTree.device, interface: "org.bluez.Device1", property: "RSSI", signature: "s")
      ])
    #expect(model.takeMismatches().isEmpty)
    #expect(
      model.change(SampleTree.characteristic, "org.bluez.GattCharacteristic1", ["Value": .string("no")])
        == ["attributes"])
    #expect(model.takeMismatches().map(\.property) == ["Value"])
  }

  /// Gives the bytes to everything that takes a body.
  private func feed(_ bytes: UnsafeRawBufferPointer, to model: inout ObjectModel) -> [String] {
    var readers = [WireReader](repeating: WireReader(bytes), count: 4)
    var changes = model.interfacesAdded(&readers[0])
    changes += model.propertiesChanged(SampleTree.device, &readers[1])
    changes += model.propertiesChanged(SampleTree.characteristic, &readers[2])
    changes += model.interfacesRemoved(&readers[3])
    return changes.map(\.words)
  }

  private static let bodies = [
    Bodies.interfacesAdded(SampleTree.device, SampleTree.deviceInterfaces),
    Bodies.propertiesChanged("org.bluez.Device1", ["RSSI": .int16(-1)], invalidated: ["TxPower"]),
    Bodies.propertiesChanged("org.bluez.GattCharacteristic1", ["Value": .bytes([1, 2, 3])]),
    [.objectPath(SampleTree.device), .strings(["org.bluez.Device1"])],
  ]

  private func marshalled(_ values: [DBusValue]) -> [UInt8] {
    Bodies.read(values) { reader in
      var bytes: [UInt8] = []
      while !reader.isAtEnd { bytes.append(reader.byte()) }
      return bytes
    }
  }

  @Test("A snapshot cut at any length gives no object that is not there")
  func truncatedSnapshot() {
    let bytes = marshalled(Bodies.managedObjects(SampleTree.all))
    let memory = GuardedBytes(capacity: bytes.count)
    defer { memory.free() }
    for length in 0..<bytes.count {
      var model = ObjectModel()
      memory.with(bytes.prefix(length)) { bytes in
        model.replace(with: MessageBody(copying: bytes))
      }
      #expect(model.adapters.isEmpty && model.devices.isEmpty && model.services.isEmpty)
    }
  }

  @Test("Randomly changed bodies are accepted or refused, within their bounds", arguments: bodies)
  func mutated(values: [DBusValue]) {
    let original = marshalled(values)
    let memory = GuardedBytes(capacity: original.count)
    defer { memory.free() }
    var random = SeededGenerator(seed: 8)
    var outcomes: Set<Bool> = []
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.removeLast(
        Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 0..<bytes.count, using: &random) : 0)
      var model = ObjectModel()
      model.replace(SampleTree.all)
      outcomes.insert(memory.with(bytes) { feed($0, to: &model) }.isEmpty)
    }
    #expect(outcomes == [true, false])
  }
}
