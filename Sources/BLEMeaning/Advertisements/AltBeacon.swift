// SPDX-License-Identifier: MIT

/// AltBeacon, in manufacturer data of any company: "AltBeacon Protocol Specification v1.0".
public struct AltBeacon: AdvertisedFormat, Hashable {
  /// The company that made the beacon.
  public let company: UInt16
  /// The identifier: 20 bytes, of which at least 16 identify the owner, and the rest the beacon.
  public let identifier: [UInt8]
  /// The signal strength at one metre, in dBm.
  public let referenceRSSI: Int8
  /// A byte for use by the manufacturer.
  public let reserved: UInt8

  /// Decodes a beacon, or returns nil.
  ///
  /// - Parameters:
  ///   - company: the company identifier before the data.
  ///   - data: exactly 24 bytes: `be ac` and 22 more.
  public init?(company: UInt16, data: [UInt8]) {
    var reader = ByteReader(data)
    guard data.count == 24, reader.bytes(2) == [0xbe, 0xac], let identifier = reader.bytes(20),
      let rssi = reader.signed(1), let reserved = reader.unsigned(1)
    else { return nil }
    (self.company, self.identifier) = (company, identifier)
    (referenceRSSI, self.reserved) = (Int8(rssi), UInt8(reserved))
  }

  /// The name of the format for programs.
  public var type: String { "altbeacon" }
  /// The name of the format for people.
  public var label: String { "AltBeacon" }
  /// The signal strength at one metre, in dBm.
  public var rssiAtOneMetre: Int? { Int(referenceRSSI) }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("id", .bytes(identifier))
    fields.add("rssi_at_1m_dbm", .integer(Int(referenceRSSI)), label: "at 1 m", unit: "dBm")
    fields.add("reserved", .integer(Int(reserved)), label: "reserved")
    return fields
  }
}
