// SPDX-License-Identifier: MIT

/// Apple's iBeacon, in manufacturer data of company 004C: "Proximity Beacon Specification", release R1.
public struct IBeacon: AdvertisedFormat, Hashable {
  /// Apple's company identifier.
  public static let company: UInt16 = 0x004c

  /// The identifier of the owner or the application.
  public let uuid: BluetoothUUID
  /// The number of a group of beacons.
  public let major: UInt16
  /// The number of the beacon in its group.
  public let minor: UInt16
  /// The signal strength at one metre, in dBm.
  public let measuredPower: Int8
  /// The bytes behind the beacon, which some makers add.
  public let rest: [UInt8]

  private static let mark: [UInt8] = [0x02, 0x15]

  /// Creates a beacon; each parameter sets the property of its name.
  public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8 = -59) {
    (self.uuid, self.major, self.minor, self.measuredPower) = (uuid, major, minor, measuredPower)
    rest = []
  }

  /// Decodes the bytes after the company identifier, `02 15` and 21 more; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard reader.bytes(2) == Self.mark, let identity = reader.bytes(16),
      let uuid = BluetoothUUID(bytes: identity),
      let major = reader.unsigned(2, isBigEndian: true), let minor = reader.unsigned(2, isBigEndian: true),
      let power = reader.signed(1)
    else { return nil }
    (self.uuid, self.major, self.minor) = (uuid, UInt16(major), UInt16(minor))
    measuredPower = Int8(power)
    rest = reader.remainder()
  }

  /// The name of the format for programs.
  public var type: String { "ibeacon" }
  /// The name of the format for people.
  public var label: String { "iBeacon" }
  /// The signal strength at one metre, in dBm.
  public var rssiAtOneMetre: Int? { Int(measuredPower) }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("uuid", .text(uuid.longForm))
    fields.add("major", .integer(Int(major)), label: "major")
    fields.add("minor", .integer(Int(minor)), label: "minor")
    fields.add("rssi_at_1m_dbm", .integer(Int(measuredPower)), label: "at 1 m", unit: "dBm")
    fields.rest = rest
    return fields
  }

  /// The bytes after the company identifier.
  public var data: [UInt8] {
    Self.mark + uuid.bytes + major.bigEndianBytes + minor.bigEndianBytes + [UInt8(bitPattern: measuredPower)]
      + rest
  }
}

extension IBeacon: EncodableFormat {
  /// The manufacturer data.
  public func encoded() -> AdvertisedData { .manufacturer(Self.company, data) }
}
