// SPDX-License-Identifier: MIT

/// A phone with contact tracing, in service data of FD6F: "Exposure Notification Bluetooth Specification" v1.2,
/// Apple and Google.
public struct ExposureNotification: AdvertisedFormat, Hashable {
  static let service = BluetoothUUID(short: 0xfd6f)

  /// The rolling identifier: sixteen bytes that change about every fifteen minutes.
  public let rollingProximityIdentifier: [UInt8]
  /// Version and power, encrypted: four bytes.
  public let encryptedMetadata: [UInt8]

  /// Decodes the 20 bytes after the UUID; returns nil for another number.
  public init?(data: [UInt8]) {
    guard data.count == 20 else { return nil }
    rollingProximityIdentifier = Array(data[..<16])
    encryptedMetadata = Array(data[16...])
  }

  /// The name of the format for programs.
  public var type: String { "exposure-notification" }
  /// The name of the format for people.
  public var label: String { "Exposure Notification" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("rolling_proximity_id", .bytes(rollingProximityIdentifier))
    fields.add("encrypted_metadata", .bytes(encryptedMetadata))
    return fields
  }
}
