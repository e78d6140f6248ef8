// SPDX-License-Identifier: MIT

/// An advertised format that can also be encoded.
public protocol EncodableFormat: AdvertisedFormat {
  /// Returns the data to advertise, which ``AdvertisedFormats/decode(_:in:)`` decodes to the same values.
  ///
  /// - Throws: if a value has no encoding.
  func encoded() throws(FormatError) -> AdvertisedData
  /// The services that the format requires in the list of services besides its data.
  var announcedServices: [BluetoothUUID] { get }
}

extension EncodableFormat {
  /// Empty for most formats.
  public var announcedServices: [BluetoothUUID] { [] }
}
