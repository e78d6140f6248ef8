// SPDX-License-Identifier: MIT

/// A format that is encoded from named values, those that decoding shows.
package enum BeaconFormat: String, Sendable, CaseIterable {
  /// BTHome 2.
  case bthome
  /// A RuuviTag, data format 5.
  case ruuvi
  /// The telemetry of Eddystone.
  case eddystoneTelemetry = "eddystone_tlm"
  /// Apple's iBeacon.
  case iBeacon = "ibeacon"
  /// A thermometer with the firmware of pvvx.
  case pvvx

  /// True if its values can be encrypted.
  package var isEncryptable: Bool { self == .bthome || self == .pvvx }

  /// The services that the format requires in the list of services besides its data.
  package var announcedServices: [BluetoothUUID] { self == .eddystoneTelemetry ? [Eddystone.service] : [] }

  /// Encodes values, each with the name that decoding gives it, or without its unit; absent ones are unknown or 0.
  ///
  /// - Throws: an error about the first name or value that the format does not have.
  package func encoded(
    _ values: NamedValues, from address: BluetoothAddress
  ) throws(FormatError) -> AdvertisedData {
    switch self {
    case .bthome:
      let (objects, isTriggered) = try values.objects()
      return BTHome(objects: objects, isTriggered: isTriggered).encoded()
    case .ruuvi: return .manufacturer(RuuviTag.company, try Self.ruuvi(values, address))
    case .eddystoneTelemetry:
      return .service(
        Eddystone.service, try [0x20, 0x00] + Self.bytes(of: NamedNumber.eddystoneTelemetry, in: values))
    case .iBeacon: return .manufacturer(IBeacon.company, try Self.iBeacon(values))
    case .pvvx:
      return .service(
        ATCThermometer.service, try address.bytes.reversed() + Self.bytes(of: NamedNumber.pvvx, in: values))
    }
  }

  /// Encrypts what ``encoded(_:from:)`` returned, with the counter of the packet.
  ///
  /// - Throws: an error if the key does not fit the format, or libcrypto is not installed.
  package func sealed(
    _ data: AdvertisedData, from address: BluetoothAddress, key: BindKey, counter: UInt32
  ) throws(DecryptionError) -> AdvertisedData {
    guard case .service(let service, let bytes) = data else { return data }
    switch self {
    case .bthome:
      guard let format = BTHome(data: bytes) else { return data }
      return .service(service, try format.sealed(from: address, key: key, counter: counter))
    case .pvvx:
      return .service(
        service,
        try ATCThermometer.sealed(
          pvvx: bytes, from: address, key: key, counter: UInt8(truncatingIfNeeded: counter)))
    case .ruuvi, .eddystoneTelemetry, .iBeacon: return data
    }
  }

  private static func bytes(
    of numbers: [NamedNumber], in values: NamedValues, besides others: [[String]] = []
  ) throws(FormatError) -> [UInt8] {
    try values.check(numbers.map(\.names) + others)
    var bytes: [UInt8] = []
    for number in numbers { bytes += try number.bytes(in: values) }
    return bytes
  }

  private static func ruuvi(
    _ values: NamedValues, _ address: BluetoothAddress
  ) throws(FormatError) -> [UInt8] {
    let (battery, power, counters) = (
      NamedNumber.ruuviBattery, NamedNumber.ruuviPower, NamedNumber.ruuviCounters
    )
    let others = [battery.names, power.names] + counters.map(\.names)
    var bytes: [UInt8] = [5]
    bytes += try Self.bytes(of: NamedNumber.ruuvi, in: values, besides: others)
    bytes += UInt16(try battery.raw(in: values) << 5 | power.raw(in: values)).bigEndianBytes
    for counter in counters { bytes += try counter.bytes(in: values) }
    return bytes + address.bytes
  }

  private static func iBeacon(_ values: NamedValues) throws(FormatError) -> [UInt8] {
    let name = ["uuid"]
    let numbers = try bytes(of: NamedNumber.iBeacon, in: values, besides: [name])
    guard let text = values.text(name) else { throw FormatError("uuid", "is missing") }
    guard let uuid = BluetoothUUID(text) else { throw FormatError(text, "is not a UUID") }
    return [0x02, 0x15] + uuid.bytes + numbers
  }
}
