// SPDX-License-Identifier: MIT

/// Detects the format of advertised data.
public enum AdvertisedFormats {
  /// Decodes the bytes after a company identifier; returns nil if the format is unknown or does not match.
  public static func decode(company: UInt16, data: [UInt8]) -> (any AdvertisedFormat)? {
    // Any company may send an AltBeacon.
    if let beacon = AltBeacon(company: company, data: data) { return beacon }
    switch company {
    case IBeacon.company: return IBeacon(data: data) ?? AppleContinuity(data: data)
    case SwiftPair.company: return SwiftPair(data: data) ?? MicrosoftDevice(data: data)
    case RuuviTag.company: return RuuviTag(data: data)
    case VictronReadout.company: return VictronReadout(data: data)
    default: return nil
    }
  }

  /// Decodes manufacturer or service data; returns nil if the format is unknown or does not match.
  public static func decode(_ data: AdvertisedData) -> (any AdvertisedFormat)? {
    switch data {
    case .manufacturer(let company, let bytes): decode(company: company, data: bytes)
    case .service(let uuid, let bytes): decode(service: uuid, data: bytes)
    }
  }

  /// Decodes the bytes after the UUID of a service; returns nil if the format is unknown or does not match.
  public static func decode(service: BluetoothUUID, data: [UInt8]) -> (any AdvertisedFormat)? {
    switch service {
    case Eddystone.service: return Eddystone(data: data)
    case BTHome.service: return BTHome(data: data)
    default: break
    }
    switch service.shortForm {
    case 0x181a: return ATCThermometer(data: data)
    case 0xfe95: return MiBeacon(data: data)
    case 0xfe2c: return FastPair(data: data)
    case 0xfd6f: return ExposureNotification(data: data)
    default: return nil
    }
  }
}
