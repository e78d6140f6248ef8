// SPDX-License-Identifier: MIT

/// Manufacturer data or service data of an advertisement.
public enum AdvertisedData: Sendable, Hashable {
  /// The identifier of a company, and bytes that it defines.
  case manufacturer(UInt16, [UInt8])
  /// The UUID of a service, and bytes that it defines.
  case service(BluetoothUUID, [UInt8])
}

/// An advertised format that can also be encoded.
public protocol EncodableFormat: AdvertisedFormat {
  /// The data to advertise: ``AdvertisedFormats/decode(_:)`` makes the same values of it.
  ///
  /// - Throws: if a value has no encoding.
  func encoded() throws(FormatError) -> AdvertisedData
  /// The services that the format wants in the list of services beside its data.
  var announcedServices: [BluetoothUUID] { get }
}

extension EncodableFormat {
  /// Most formats want none.
  public var announcedServices: [BluetoothUUID] { [] }
}

extension FixedWidthInteger {
  /// The bytes, the most significant first.
  var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
