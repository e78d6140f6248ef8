// SPDX-License-Identifier: MIT
import BLECentral
import TestSupport
import Testing

@testable import ValueStreams

@Suite("DeviceSightings")
struct DeviceSightingsTests {
  @Test("An output asks who was heard since it last did, under the last name")
  func since() throws {
    let sightings = DeviceSightings { _ in true }
    let start = ContinuousClock.now
    let other = try #require(BluetoothAddress("C0:00:00:00:00:01"))
    sightings.note(HeardDevice(address: SampleStream.address, name: nil), at: start)
    sightings.note(HeardDevice(address: other, name: "Attic", isPrivate: true), at: start + .seconds(1))
    sightings.expect(try #require(BluetoothAddress("C0:00:00:00:00:02")))
    #expect(Set(sightings.heard(since: nil).map(\.device.address)) == [SampleStream.address, other])
    #expect(sightings.heard(since: start + .seconds(1)).map(\.device.name) == ["Attic"])
    sightings.note(HeardDevice(address: SampleStream.address, name: "Hall"), at: start + .seconds(2))
    let heard = sightings.heard(since: start + .seconds(2))
    #expect(heard.map(\.device.name) == ["Hall"])
    #expect(heard.map(\.last) == [start + .seconds(2)])
  }
}
