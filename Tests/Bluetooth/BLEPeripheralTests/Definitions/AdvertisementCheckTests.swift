// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Testing

@testable internal import BLEPeripheral

@Suite("AdvertisementCheck")
struct AdvertisementCheckTests {
  private func error(_ advertisement: Advertisement) -> BLEError? {
    do throws(BLEError) {
      try AdvertisementCheck(
        advertisement: advertisement, operation: Operation(.advertise, timeout: nil)
      ).check()
      return nil
    } catch {
      return error
    }
  }

  private func data(_ count: Int) -> [UInt16: [UInt8]] { [0x004c: Array(repeating: 0, count: count)] }

  @Test("28 bytes beside the flags fit, 29 do not")
  func room() {
    #expect(error(Advertisement(manufacturerData: data(24))) == nil)
    let error = error(Advertisement(manufacturerData: data(25)))
    #expect(error?.code == .invalidLength)
    #expect(
      error?.message == "the advertisement has 32 bytes, and 31 fit: flags 3, manufacturer data 004c 29")
  }

  @Test("A beacon without flags has the whole room")
  func beacon() {
    #expect(error(Advertisement(manufacturerData: data(27), isConnectable: false)) == nil)
    #expect(error(Advertisement(manufacturerData: data(28), isConnectable: false))?.code == .invalidLength)
  }

  @Test("Services of each length share a list")
  func services() {
    let short = (UInt16(0)..<13).map { BluetoothUUID(short: $0) }
    #expect(error(Advertisement(services: short)) == nil)
    #expect(error(Advertisement(services: short + [BluetoothUUID(short: 99)]))?.code == .invalidLength)
    let long = BluetoothUUID(bytes: [UInt8](1...16))
    #expect(error(Advertisement(services: [long].compactMap(\.self) + short.prefix(4))) == nil)
  }

  @Test("A name of 29 bytes fits, whatever its characters")
  func name() {
    #expect(error(Advertisement(name: String(repeating: "n", count: 29))) == nil)
    #expect(error(Advertisement(name: String(repeating: "ö", count: 15)))?.code == .invalidLength)
  }

  @Test("An impossible advertisement is refused")
  func impossible() {
    #expect(
      error(Advertisement(isConnectable: false, isDiscoverable: true))?.code == .invalidDefinition)
    #expect(
      error(Advertisement(interval: .milliseconds(19)...(.seconds(1))))?.code == .invalidDefinition)
    #expect(error(Advertisement(duration: .milliseconds(500)))?.code == .invalidDefinition)
  }
}
