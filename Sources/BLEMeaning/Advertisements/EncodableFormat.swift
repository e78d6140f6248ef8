// SPDX-License-Identifier: MIT

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
