// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import BLEWorld
import PeripheralEmulator
import Testing

@testable import BLEPeripheral
@testable import BlectlCommands

@Suite("Advertisements of served devices")
struct TruncatedAdvertisementTests {
  @Test("An advertisement that fits is not changed")
  func fitting() {
    let spec = AdvertisementSpec(
      name: "Lamp", services: [.batteryService], manufacturerData: [.init(company: 0x0157, bytes: [1, 2])],
      txPower: 4, appearance: 960, interval: .milliseconds(500))
    let fitted = TruncatedAdvertisement(spec)
    #expect(fitted.remarks.isEmpty)
    let advertisement = fitted.advertisement
    #expect(advertisement.name == "Lamp" && advertisement.services == [.batteryService])
    #expect(advertisement.manufacturerData == [0x0157: [1, 2]])
    #expect(advertisement.includesTxPower && advertisement.appearance == Appearance(rawValue: 960))
    #expect(advertisement.interval == .milliseconds(500) ... .milliseconds(500))
    #expect(advertisement.isConnectable && advertisement.isDiscoverable)
  }

  @Test("A name is cut between characters")
  func name() {
    let fitted = TruncatedAdvertisement(AdvertisementSpec(name: String(repeating: "ü", count: 15)))
    #expect(fitted.advertisement.name == String(repeating: "ü", count: 14))
    #expect(fitted.remarks == ["the name is cut to 'üüüüüüüüüüüüüü': 29 bytes fit"])
  }

  @Test("Parts are left out, the least important first, until BlueZ takes the rest")
  func tooMuch() throws {
    let long = try #require(BluetoothUUID("5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa"))
    let spec = AdvertisementSpec(
      services: [.batteryService, long], manufacturerData: [.init(company: 1, bytes: Array(0..<8))],
      txPower: 4, appearance: 960)
    let fitted = TruncatedAdvertisement(spec)
    #expect(fitted.advertisement.excess == 0)
    #expect(fitted.advertisement.services == [.batteryService])
    #expect(fitted.advertisement.manufacturerData.count == 1)
    #expect(
      fitted.remarks == [
        "not advertised, because 31 bytes fit: the TX power, the appearance, service \(long)"
      ])
  }

  @Test("A beacon is not discoverable: BlueZ refuses that without connections")
  func beacon() {
    let fitted = TruncatedAdvertisement(AdvertisementSpec(isConnectable: false))
    #expect(!fitted.advertisement.isConnectable && !fitted.advertisement.isDiscoverable)
  }
}

@Suite("Services of served devices")
struct ServiceTreeTests {
  private func tree(_ services: [ServiceSpec]) -> ServiceTree {
    let spec = PeripheralSpec(
      address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec(name: "Lamp"), services: services)
    let loop = EventLoop(onCurrentThread: ())
    return ServiceTree(EmulatedPeripheral(spec, events: [], on: loop), isControlled: false, on: loop)
  }

  private func service(_ uuid: UInt16, includes: [UInt16] = [], isPrimary: Bool = true) -> ServiceSpec {
    ServiceSpec(
      BluetoothUUID(short: uuid), [CharacteristicSpec(BluetoothUUID(short: uuid + 1), 0x02)],
      isPrimary: isPrimary, includes: includes.map { .uuid(BluetoothUUID(short: $0)) })
  }

  @Test("A service that two services include is published once, before both")
  func included() {
    let tree = tree([
      service(0xff00), service(0xff10, includes: [0xff20]), service(0xff20, includes: [0xff30]),
      service(0xff30, isPrimary: false), service(0xff40, includes: [0xff30]),
    ])
    let services = tree.entries.map(\.service)
    #expect(services.map(\.uuid.shortForm) == [0xff00, 0xff30, 0xff20, 0xff10, 0xff40])
    #expect(services[3].includedServices.map(\.id) == [services[2].id])
    #expect(services[2].includedServices.map(\.id) == [services[1].id])
    #expect(services[4].includedServices.map(\.id) == [services[1].id])
    #expect(services[1].isPrimary == false)
    #expect(tree.entries.allSatisfy { $0.handles.count == 1 } && tree.remarks.isEmpty)
  }

  @Test("Of two services that include each other, one inclusion is published, and the other is reported")
  func cycle() {
    let tree = tree([service(0xff00, includes: [0xff10]), service(0xff10, includes: [0xff00])])
    #expect(tree.entries.map(\.service.uuid.shortForm) == [0xff10, 0xff00])
    #expect(tree.entries[1].service.includedServices.map(\.uuid.shortForm) == [0xff10])
    #expect(
      tree.remarks == [
        "service ff10: its inclusion of ff00 is left out, "
          + "because BlueZ cannot publish services that include each other"
      ])
  }

  @Test("BlueZ's own services, and the descriptors 2900 and 2902, are left to it")
  func own() throws {
    let pnp = ServiceSpec(
      .deviceInformation,
      [CharacteristicSpec(BluetoothUUID(short: 0x2a50), 0x02, value: [2, 0x6b, 0x1d, 0x46, 2, 1, 5])])
    let extended = CharacteristicSpec(
      BluetoothUUID(short: 0xff01), 0x98,
      descriptors: [
        DescriptorSpec(BluetoothUUID(short: 0x2900), value: [1, 0]),
        DescriptorSpec(BluetoothUUID(short: 0x2901), value: [65]),
      ])
    let entries = tree([
      service(0x1801), pnp,
      ServiceSpec(
        BluetoothUUID(short: 0xff00), [extended, CharacteristicSpec(BluetoothUUID(short: 0xff02), [])]),
    ]).entries
    try #require(entries.map(\.service.uuid.shortForm) == [0xff00])
    let characteristics = entries[0].service.characteristics
    try #require(characteristics.map(\.uuid.shortForm) == [0xff01])
    #expect(characteristics[0].properties == [.write, .notify, .extendedProperties, .reliableWrite])
    #expect(characteristics[0].descriptors.map(\.uuid.shortForm) == [0x2901])
  }

  @Test("An answer that may be late is given by a deferred handler")
  func late() {
    let entries = tree([
      ServiceSpec(
        BluetoothUUID(short: 0xff00),
        [
          CharacteristicSpec(BluetoothUUID(short: 0xff01), 0x0a),
          CharacteristicSpec(BluetoothUUID(short: 0xff02), 0x0a, reading: .slow(.milliseconds(100))),
          CharacteristicSpec(BluetoothUUID(short: 0xff03), 0x0a, writing: .stall),
          CharacteristicSpec(
            BluetoothUUID(short: 0xff04), 0x0a, faults: [.answer(AnswerFault(.late(.seconds(1))))]),
          CharacteristicSpec(
            BluetoothUUID(short: 0xff05), 0x0a, faults: [.answer(AnswerFault(.error(0x80)))]),
        ])
    ]).entries
    let isDeferred = entries[0].service.characteristics.map { characteristic in
      if case .deferred = characteristic.reading { true } else { false }
    }
    #expect(isDeferred == [false, true, true, true, false])
  }
}
