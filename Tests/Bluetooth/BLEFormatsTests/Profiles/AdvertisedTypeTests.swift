// SPDX-License-Identifier: MIT
import Testing

@testable import BLEFormats

@Suite("Types of advertised data in profiles")
struct AdvertisedTypeTests {
  private func profile(_ type: String, name: String = "Ours") throws(ProfileError) -> Profile {
    let text = """
      {"advertisements": [{"company": "ffff", "name": "\(name)", \(type)"layout": "type=u8 rssi=i8dBm problems=u8"}]}
      """
    return try Profile(parsing: Array(text.utf8))
  }

  @Test(
    "A type that records or topics use for something else is refused, given or made from the name",
    arguments: ["bthome", "ruuvi", "status", "set", "alarm", "absence"])
  func taken(_ type: String) {
    #expect(throws: ProfileError.self) { try profile(#""type": "\#(type)", "#) }
    #expect(throws: ProfileError.self) { try profile("", name: type.uppercased()) }
    #expect(throws: Never.self) { try profile(#""type": "\#(type)-2", "#) }
  }

  @Test("Fields whose names say something of the packet in records get a number")
  func fields() throws {
    let format = try #require(
      try profile("").advertisements.first?.decode(.manufacturer(0xffff, [1, 0xc9, 3])))
    #expect(format.namedFields.fields.map(\.key) == ["type_2", "rssi_dbm_2", "problems"])
  }
}
