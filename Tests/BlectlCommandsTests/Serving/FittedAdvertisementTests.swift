// SPDX-License-Identifier: MIT
import BLEMeaning
import BlueZSimulator
import Testing

@testable import BLEPeripheral
@testable import BlectlCommands

@Suite("Advertisements of served devices")
struct FittedAdvertisementTests {
  @Test("What fits is advertised as it is")
  func fitting() {
    let spec = AdvertisementSpec(
      name: "Lamp", services: [.batteryService], manufacturerData: [.init(company: 0x0157, bytes: [1, 2])],
      txPower: 4, appearance: 960, interval: .milliseconds(500))
    let fitted = FittedAdvertisement(spec)
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
    let fitted = FittedAdvertisement(AdvertisementSpec(name: String(repeating: "ü", count: 15)))
    #expect(fitted.advertisement.name == String(repeating: "ü", count: 14))
    #expect(fitted.remarks == ["the name is cut to 'üüüüüüüüüüüüüü': 29 bytes fit"])
  }

  @Test("What does not fit is left out, the least important parts first, until BlueZ takes the rest")
  func tooMuch() throws {
    let long = try #require(BluetoothUUID("5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa"))
    let spec = AdvertisementSpec(
      services: [.batteryService, long], manufacturerData: [.init(company: 1, bytes: Array(0..<8))],
      txPower: 4, appearance: 960)
    let fitted = FittedAdvertisement(spec)
    #expect(fitted.advertisement.excess == 0)
    #expect(fitted.advertisement.services == [.batteryService])
    #expect(fitted.advertisement.manufacturerData.count == 1)
    #expect(
      fitted.remarks == [
        "not advertised, because 31 bytes fit: the TX power, the appearance, service \(long)"
      ])
  }

  @Test("A beacon is not discoverable: an advertisement of BlueZ's that no one can connect to cannot be")
  func beacon() {
    let fitted = FittedAdvertisement(AdvertisementSpec(isConnectable: false))
    #expect(!fitted.advertisement.isConnectable && !fitted.advertisement.isDiscoverable)
  }
}
