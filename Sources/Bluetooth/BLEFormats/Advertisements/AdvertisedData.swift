// SPDX-License-Identifier: MIT

/// Manufacturer data or service data of an advertisement.
public enum AdvertisedData: Sendable, Hashable {
  /// The identifier of a company, and bytes that it defines.
  case manufacturer(UInt16, [UInt8])
  /// The UUID of a service, and bytes that it defines.
  case service(BluetoothUUID, [UInt8])

  /// The owner of the data.
  public enum Sender: Sendable, Hashable {
    /// The identifier of a company, as in manufacturer data.
    case company(UInt16)
    /// The UUID of a service, as in service data.
    case service(BluetoothUUID)
  }
}

extension AdvertisedData {
  /// Creates data of a company or a service.
  package init(_ bytes: [UInt8], of sender: Sender) {
    switch sender {
    case .company(let company): self = .manufacturer(company, bytes)
    case .service(let service): self = .service(service, bytes)
    }
  }

  /// The owner of the data.
  package var sender: Sender {
    switch self {
    case .manufacturer(let company, _): .company(company)
    case .service(let service, _): .service(service)
    }
  }

  /// The bytes behind the company or the UUID.
  package var bytes: [UInt8] {
    switch self {
    case .manufacturer(_, let bytes), .service(_, let bytes): bytes
    }
  }

  /// Lists manufacturer data by company identifier, then service data by UUID.
  package static func list(
    manufacturerData: [UInt16: [UInt8]], serviceData: [BluetoothUUID: [UInt8]]
  ) -> [AdvertisedData] {
    var list: [AdvertisedData] = []
    list.reserveCapacity(manufacturerData.count + serviceData.count)
    for (company, bytes) in manufacturerData { list.append(.manufacturer(company, bytes)) }
    for (service, bytes) in serviceData { list.append(.service(service, bytes)) }
    if list.count > 1 { list.sort { $0.comes(before: $1) } }
    return list
  }

  private func comes(before other: AdvertisedData) -> Bool {
    switch (self, other) {
    case (.manufacturer(let company, _), .manufacturer(let next, _)): company < next
    case (.service(let service, _), .service(let next, _)): service < next
    case (.manufacturer, .service): true
    case (.service, .manufacturer): false
    }
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
  package var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }

  /// The bytes, least significant first.
  package var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
