// SPDX-License-Identifier: MIT

/// Decoded manufacturer data or service data of a known format.
///
/// Each format is a separate type, a beacon with properties: `if let beacon = format as? IBeacon`. Each provides its values
/// as a list, which `blectl` prints; those of a sensor are only there.
public protocol AdvertisedFormat: Sendable {
  /// The name of the format for programs, as `type` in JSON: `ibeacon`.
  var type: String { get }
  /// The name of the format for people: `iBeacon`.
  var label: String { get }
  /// The values, with their units in the keys.
  var fields: DecodedFields { get }
  /// The signal strength at one metre in dBm, as reported by the device; nil if it does not report it.
  var rssiAtOneMetre: Int? { get }
  /// True if the values are encrypted, so that they are decoded with a key only.
  var needsKey: Bool { get }
}

extension AdvertisedFormat {
  /// Most formats do not report it.
  public var rssiAtOneMetre: Int? { nil }
  /// Most formats are not encrypted.
  public var needsKey: Bool { false }

  /// The format and its values on one line, for people; texts from the air are not escaped.
  public var text: String {
    let values = fields.text
    return values.isEmpty ? label : "\(label) \(values)"
  }
}

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
