// SPDX-License-Identifier: MIT

/// A phone that keeps track of contacts, in service data of FD6F: "Exposure Notification Bluetooth Specification" v1.2,
/// Apple and Google.
public struct ExposureNotification: AdvertisedFormat, Hashable {
  /// Sixteen bytes that change every quarter of an hour or so.
  public let rollingProximityIdentifier: [UInt8]
  /// Version and power, for those who have the key: four bytes.
  public let encryptedMetadata: [UInt8]

  /// The phone in some data, or nil.
  ///
  /// - Parameter data: the bytes behind the UUID: exactly 20.
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
