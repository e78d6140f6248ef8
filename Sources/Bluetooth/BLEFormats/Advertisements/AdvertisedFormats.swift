// SPDX-License-Identifier: MIT

/// Detects the format of advertised data.
///
/// Some formats are only recognized in the context of the whole advertisement, for example by the name of the device.
public enum AdvertisedFormats {
  /// The names of all formats for programs, ``AdvertisedFormat/type``.
  public static let types = [
    "altbeacon", "apple-continuity", "atc", "audio-broadcast", "auracast", "bthome", "bthome-encrypted",
    "eddystone-eid", "eddystone-etlm", "eddystone-tlm", "eddystone-uid", "eddystone-url",
    "exposure-notification", "fast-pair", "govee", "ibeacon", "inkbird", "mibeacon", "microsoft-device",
    "pvvx", "qingping", "ruuvi", "ruuvi-air", "shelly", "swift-pair", "switchbot", "thermopro", "victron",
    "xiaomi-scale",
  ]

  /// Decodes the bytes after a company identifier; returns nil if the format is unknown or does not match.
  public static func decode(
    company: UInt16, data: [UInt8], in context: AdvertisedContext = AdvertisedContext()
  ) -> (any AdvertisedFormat)? {
    complete(company: company, data: data, in: context) ?? InexactFormat(.manufacturer(company, data))
  }

  private static func complete(
    company: UInt16, data: [UInt8], in context: AdvertisedContext
  ) -> (any AdvertisedFormat)? {
    // Any company may send an AltBeacon.
    if let beacon = AltBeacon(company: company, data: data) { return beacon }
    // These do not have an identifier of their own, and may send that of another company.
    if let sensor = Govee(company: company, data: data, in: context) { return sensor }
    if let sensor = ThermoPro(company: company, data: data, in: context) { return sensor }
    if let sensor = Inkbird(company: company, data: data, in: context) { return sensor }
    switch company {
    case IBeacon.company: return IBeacon(data: data) ?? AppleContinuity(data: data)
    case SwiftPair.company: return SwiftPair(data: data) ?? MicrosoftDevice(data: data)
    case RuuviTag.company: return RuuviTag(data: data) ?? RuuviAir(data: data)
    case Shelly.company: return Shelly(data: data)
    case SwitchBot.company: return SwitchBot(data: data, in: context)
    case VictronReadout.company: return VictronReadout(data: data)
    default: return nil
    }
  }

  /// Decodes manufacturer or service data; returns nil if the format is unknown or does not match.
  public static func decode(
    _ data: AdvertisedData, in context: AdvertisedContext = AdvertisedContext()
  ) -> (any AdvertisedFormat)? {
    switch data {
    case .manufacturer(let company, let bytes): decode(company: company, data: bytes, in: context)
    case .service(let uuid, let bytes): decode(service: uuid, data: bytes)
    }
  }

  /// Decodes the bytes after the UUID of a service; returns nil if the format is unknown or does not match.
  public static func decode(service: BluetoothUUID, data: [UInt8]) -> (any AdvertisedFormat)? {
    complete(service: service, data: data) ?? InexactFormat(.service(service, data))
  }

  private static func complete(service: BluetoothUUID, data: [UInt8]) -> (any AdvertisedFormat)? {
    switch service {
    case Eddystone.service: return Eddystone(data: data).map { exact($0, size: $0.size, data) }
    case BTHome.service: return BTHome(data: data)
    case ExposureNotification.service: return ExposureNotification(data: data)
    case MiBeacon.service: return MiBeacon(data: data)
    case Qingping.service: return Qingping(data: data)
    default: break
    }
    switch service.shortForm {
    case 0x181a: return ATCThermometer(data: data)
    case 0x181b, 0x181d: return XiaomiScale(data: data)
    case 0x1852, 0x1856: return Auracast(service: service, data: data).map { exact($0, size: $0.size, data) }
    case 0xfe2c: return FastPair(data: data)
    case 0xfd3d, 0x0d00: return SwitchBot(serviceData: data)
    default: return nil
    }
  }

  /// Returns a format with the bytes behind the size of its data, if there are some.
  private static func exact(
    _ format: some AdvertisedFormat, size: Int?, _ data: [UInt8]
  ) -> any AdvertisedFormat {
    guard let size, data.count > size else { return format }
    return InexactFormat(format, rest: Array(data.dropFirst(size)))
  }
}
