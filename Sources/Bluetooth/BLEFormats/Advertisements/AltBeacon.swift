// SPDX-License-Identifier: MIT

/// AltBeacon, in manufacturer data of any company: "AltBeacon Protocol Specification v1.0".
public struct AltBeacon: AdvertisedFormat, Hashable {
  /// The company that made the beacon.
  public let company: UInt16
  /// The identifier: 20 bytes, of which at least 16 identify the owner and the rest the beacon.
  public let identifier: [UInt8]
  /// The signal strength at one metre, in dBm.
  public let referenceRSSI: Int8
  /// A byte for use by the manufacturer.
  public let reserved: UInt8

  private static let mark: [UInt8] = [0xbe, 0xac]
  private static let identifierSize = 20

  /// Creates a beacon; each parameter sets the property of its name.
  ///
  /// - Throws: if the identifier does not have 20 bytes.
  public init(
    company: UInt16, identifier: [UInt8], referenceRSSI: Int8 = -59, reserved: UInt8 = 0
  ) throws(FormatError) {
    guard identifier.count == Self.identifierSize else {
      throw FormatError(
        Hex.string(identifier),
        "has the wrong size; the identifier of an AltBeacon has \(Self.identifierSize) bytes, in \(2 * Self.identifierSize) digits"
      )
    }
    (self.company, self.identifier) = (company, identifier)
    (self.referenceRSSI, self.reserved) = (referenceRSSI, reserved)
  }

  /// Decodes the 24 bytes after the company identifier, `be ac` and 22 more; returns nil for others.
  public init?(company: UInt16, data: [UInt8]) {
    var reader = ByteReader(data)
    guard data.count == 24, reader.bytes(2) == Self.mark, let identifier = reader.bytes(Self.identifierSize),
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

  /// The bytes after the company identifier.
  public var data: [UInt8] { Self.mark + identifier + [UInt8(bitPattern: referenceRSSI), reserved] }
}

extension AltBeacon: EncodableFormat {
  /// The manufacturer data.
  public func encoded() -> AdvertisedData { .manufacturer(company, data) }
}
