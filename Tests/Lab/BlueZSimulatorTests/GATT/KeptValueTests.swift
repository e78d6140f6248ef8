// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import DBus
import TestSupport
import Testing

@testable import BlueZSimulator

@Suite("The value that the daemon keeps")
struct KeptValueTests {
  @Test("A read from the beginning replaces it, a part changes only its own bytes")
  func store() {
    var kept = KeptValue()
    kept.store([5, 6], at: 2)
    #expect(kept.bytes == [0, 0, 5, 6])
    kept.store([1, 2, 3, 4, 5, 6], at: 0)
    kept.store([9], at: 2)
    #expect(kept.bytes == [1, 2, 9, 4, 5, 6])
    kept.store([], at: 3)
    #expect(kept.bytes == [1, 2, 9, 4, 5, 6])
    kept.store([7, 8], at: 5)
    #expect(kept.bytes == [1, 2, 9, 4, 5, 7, 8])
    kept.store([], at: 0)
    #expect(kept.bytes.isEmpty)
  }

  @Test("The answer is the rest of it; without any value, a reply without bytes")
  func answers() throws {
    var kept = KeptValue()
    #expect(try kept.rest(from: 0).get() == [])
    #expect(try kept.rest(from: 3).get() == nil)
    kept.replace(with: [1, 2, 3])
    #expect(try kept.rest(from: 1).get() == [2, 3])
    #expect(try kept.rest(from: 3).get() == [])
    #expect(throws: BlueZError.invalidArguments("Invalid offset")) { try kept.rest(from: 4).get() }
  }

  @Test("A part of a long value is read in as many packets as it takes, and signalled with what is kept")
  func partOfLongValue() async throws {
    let value = (0..<100).map { UInt8($0) }
    let address = "C0:00:00:00:00:01"
    let long = PeripheralSpec(
      address: address, advertisement: AdvertisementSpec(name: "Long", interval: .milliseconds(10)),
      services: [
        ServiceSpec(BluetoothUUID(0xff00), [CharacteristicSpec(BluetoothUUID(0xff01), 0x02, value: value)])
      ], mtu: 23)
    try await withSimulator(world: World(peripherals: [long])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(address)
      let path = try await client.characteristic("ff01", of: address)
      let start = client.log.end
      #expect(try await client.read(path, options: [("offset", .uint16(30))]) == Array(value[30...]))
      let kept = [UInt8](repeating: 0, count: 30) + value[30...]
      #expect(client.log.events(from: start).first?.sets("Value", to: .bytes(kept), at: path) == true)
      #expect(try await client.read(path, options: [("offset", .uint16(100))]) == [])
      let error = await failure { try await client.read(path, options: [("offset", .uint16(101))]) }
      #expect(error?.line == "InvalidArguments Invalid offset")
    }
  }
}
