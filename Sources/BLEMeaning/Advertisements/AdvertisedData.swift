// SPDX-License-Identifier: MIT

/// Manufacturer data or service data of an advertisement.
public enum AdvertisedData: Sendable, Hashable {
  /// The identifier of a company, and bytes that it defines.
  case manufacturer(UInt16, [UInt8])
  /// The UUID of a service, and bytes that it defines.
  case service(BluetoothUUID, [UInt8])
}

extension AdvertisedData {
  /// Lists manufacturer data by company identifier, then service data by UUID.
  package static func list(
    manufacturerData: [UInt16: [UInt8]], serviceData: [BluetoothUUID: [UInt8]]
  ) -> [AdvertisedData] {
    manufacturerData.sorted { $0.key < $1.key }.map { .manufacturer($0.key, $0.value) }
      + serviceData.sorted { $0.key < $1.key }.map { .service($0.key, $0.value) }
  }

  /// The company or the service and the bytes, for data of which no format is known.
  package func text(nameOfService: (BluetoothUUID) -> String?) -> String {
    switch self {
    case .manufacturer(let company, let bytes):
      "\(AssignedNumbers.companyName(company) ?? company.fourDigits): \(Hex.string(bytes))"
    case .service(let uuid, let bytes):
      "\(nameOfService(uuid) ?? uuid.description): \(Hex.string(bytes))"
    }
  }
}

extension FixedWidthInteger {
  /// The bytes, most significant first.
  var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
