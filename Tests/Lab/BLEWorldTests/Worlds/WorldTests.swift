// SPDX-License-Identifier: MIT
import BLEFormats
import TestSupport
import Testing

@testable import BLEWorld

@Suite("World")
struct WorldTests {
  @Test("Handles run on from generic access")
  func handlesRunGeneric() throws {
    let strap = try #require(World.builtIn.peripherals.first { $0.advertisement.name == "Heart Strap" })
    let services = AttributeLayout(strap).services
    #expect(services.map(\.handle) == [0x0001, 0x0006, 0x000E, 0x0012])
    #expect(services[1].characteristics.map(\.handle) == [0x0007, 0x000A, 0x000C])
    #expect(services[1].characteristics[0].descriptors.map(\.handle) == [0x0009])
  }

  @Test("The descriptors of a file stand before the client configuration")
  func ownDescriptorsStand() {
    let spec = PeripheralSpec(
      address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec(),
      services: [
        ServiceSpec(
          BluetoothUUID(0x1234),
          [
            CharacteristicSpec(
              BluetoothUUID(0x1235), 0x10, descriptors: [DescriptorSpec(BluetoothUUID(0x2901), value: [])])
          ])
      ], hasGenericAttribute: true)
    let services = AttributeLayout(spec).services
    #expect(services.map(\.uuid) == [0x1800, 0x1801, 0x1234].map { BluetoothUUID($0) })
    #expect(
      services[2].characteristics[0].descriptors.map(\.spec.uuid) == [
        BluetoothUUID(0x2901), BluetoothUUID(0x2902),
      ])
  }

  @Test("An answer keeps the bytes that are open in its pattern")
  func answerKeepsBytes() {
    let answer = WriteAnswer(to: [1, nil, 2, nil], with: [nil, 9, nil], on: BluetoothUUID(0xFFE2))
    #expect(answer.response(to: [1, 7, 2, 8]) == [7, 9, 8])
    #expect(answer.response(to: [1, 7, 3, 8]) == nil)
    #expect(answer.response(to: [1, 7, 2]) == nil)
    #expect(answer.response(to: [1, 7, 2, 8, 9]) == nil)
    let longer = WriteAnswer(to: [1, nil], with: [nil], on: BluetoothUUID(0xFFE2), allowsMore: true)
    #expect(longer.response(to: [1, 7, 2, 8]) == [7])
    #expect(longer.response(to: [1]) == nil)
  }

  @Test("Addresses of a crowd differ")
  func addressesCrowdDiffer() {
    let crowd = World.crowd(devices: 3000).peripherals
    #expect(Set(crowd.map(\.address)).count == 3000)
    #expect(World.crowd(devices: 0).peripherals.isEmpty)
  }

  @Test("The contract world holds the built in one")
  func contractWorldHolds() {
    let names = World.contract.peripherals.map(\.address)
    #expect(World.builtIn.peripherals.allSatisfy { names.contains($0.address) })
    #expect(names.count == World.builtIn.peripherals.count + 3 + World.pairing.count)
  }
}
