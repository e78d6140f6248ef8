// SPDX-License-Identifier: MIT

/// What manufacturer data or service data means, where its format is known.
///
/// Each format is a type of its own, with its values as properties: `if let beacon = format as? IBeacon`. All have the
/// same values as a list too, which is what `blectl` prints.
public protocol AdvertisedFormat: Sendable {
  /// The name of the format for programs, as `type` in JSON: `ibeacon`.
  var type: String { get }
  /// The name of the format for people: `iBeacon`.
  var label: String { get }
  /// The values, with their units in the keys.
  var fields: DecodedFields { get }
  /// How strong the signal is at one metre, in dBm, by the device's own account; nil when it does not tell.
  var rssiAtOneMetre: Int? { get }
}

extension AdvertisedFormat {
  /// Most formats do not tell.
  public var rssiAtOneMetre: Int? { nil }

  /// Format and values on one line, for people; texts from the air are in it as they came.
  public var text: String {
    let values = fields.text
    return values.isEmpty ? label : "\(label) \(values)"
  }
}

/// Finds out which format some data has.
public enum AdvertisedFormats {
  /// What manufacturer data means.
  ///
  /// - Parameters:
  ///   - company: the company identifier before the data.
  ///   - data: the bytes behind the identifier; any are allowed.
  /// - Returns: nil when the format is not known here, or the data do not fit it.
  public static func decode(company: UInt16, data: [UInt8]) -> (any AdvertisedFormat)? {
    // Every company may send an AltBeacon.
    if let beacon = AltBeacon(company: company, data: data) { return beacon }
    switch company {
    case IBeacon.company: return IBeacon(data: data) ?? AppleContinuity(data: data)
    case SwiftPair.company: return SwiftPair(data: data) ?? MicrosoftDevice(data: data)
    case RuuviTag.company: return RuuviTag(data: data)
    default: return nil
    }
  }

  /// What service data means.
  ///
  /// - Parameters:
  ///   - service: the UUID before the data.
  ///   - data: the bytes behind the UUID; any are allowed.
  /// - Returns: nil when the format is not known here, or the data do not fit it.
  public static func decode(service: BluetoothUUID, data: [UInt8]) -> (any AdvertisedFormat)? {
    switch service.shortForm {
    case 0xfeaa: Eddystone(data: data)
    case 0xfcd2: BTHome(data: data)
    case 0x181a: ATCThermometer(data: data)
    case 0xfe95: MiBeacon(data: data)
    case 0xfe2c: FastPair(data: data)
    case 0xfd6f: ExposureNotification(data: data)
    default: nil
    }
  }
}
