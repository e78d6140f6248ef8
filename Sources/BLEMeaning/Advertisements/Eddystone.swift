// SPDX-License-Identifier: MIT

/// Google's Eddystone, in service data of FEAA: "Eddystone Protocol Specification", frames UID, URL, TLM and EID.
public enum Eddystone: AdvertisedFormat, Hashable {
  /// The namespace (10 bytes) and instance (6 bytes) of the beacon; the power at 0 m in dBm.
  case uid(namespace: [UInt8], instance: [UInt8], txPower: Int8)
  /// A web address; the power at 0 m in dBm.
  case url(String, txPower: Int8)
  /// Telemetry of the beacon.
  case telemetry(Telemetry)
  /// Encrypted telemetry: 12 bytes, salt and check.
  case encryptedTelemetry([UInt8])
  /// An encrypted identifier of eight changing bytes; the power at 0 m in dBm.
  case ephemeralIdentifier([UInt8], txPower: Int8)

  /// Telemetry of a beacon.
  public struct Telemetry: Sendable, Hashable {
    /// In millivolts; nil if it has no battery.
    public let battery: Int?
    /// In 256ths of a degree Celsius; nil if it has no thermometer.
    public let temperature: Int?
    /// The number of advertisements since it was switched on.
    public let advertisements: Int
    /// Time since it was switched on, in tenths of a second.
    public let uptime: Int

    /// Telemetry.
    ///
    /// - Parameters:
    ///   - battery: in millivolts, from 1 to 65535; nil if it has no battery.
    ///   - temperature: in 256ths of a degree Celsius, from -32767 to 32767; nil if it has no thermometer.
    ///   - advertisements: how many since it was switched on, up to 4294967295.
    ///   - uptime: since it was switched on, in tenths of a second, up to 4294967295.
    public init(battery: Int?, temperature: Int?, advertisements: Int, uptime: Int) {
      (self.battery, self.temperature) = (battery, temperature)
      (self.advertisements, self.uptime) = (advertisements, uptime)
    }
  }

  /// Decodes a frame, or returns nil.
  ///
  /// - Parameter data: the bytes after the UUID; the two reserved bytes at the end of UID frames may be missing.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    switch reader.unsigned(1) {
    case 0x00:
      guard let power = reader.signed(1), let namespace = reader.bytes(10), let instance = reader.bytes(6)
      else { return nil }
      self = .uid(namespace: namespace, instance: instance, txPower: Int8(power))
    case 0x10:
      guard let power = reader.signed(1), let url = EddystoneURL.decode(reader.remainder()) else {
        return nil
      }
      self = .url(url, txPower: Int8(power))
    case 0x20:
      switch reader.unsigned(1) {
      case 0x00:
        guard let battery = reader.unsigned(2, isBigEndian: true),
          let temperature = reader.signed(2, isBigEndian: true),
          let count = reader.unsigned(4, isBigEndian: true), let time = reader.unsigned(4, isBigEndian: true)
        else { return nil }
        self = .telemetry(
          Telemetry(
            battery: battery == 0 ? nil : battery, temperature: temperature == -0x8000 ? nil : temperature,
            advertisements: count, uptime: time))
      case 0x01:
        guard let sealed = reader.bytes(16) else { return nil }
        self = .encryptedTelemetry(sealed)
      default: return nil
      }
    case 0x30:
      guard let power = reader.signed(1), let identifier = reader.bytes(8) else { return nil }
      self = .ephemeralIdentifier(identifier, txPower: Int8(power))
    default: return nil
    }
  }

  /// The name of the format for programs.
  public var type: String {
    switch self {
    case .uid: "eddystone-uid"
    case .url: "eddystone-url"
    case .telemetry: "eddystone-tlm"
    case .encryptedTelemetry: "eddystone-etlm"
    case .ephemeralIdentifier: "eddystone-eid"
    }
  }

  /// The name of the format for people.
  public var label: String {
    switch self {
    case .uid: "Eddystone-UID"
    case .url: "Eddystone-URL"
    case .telemetry: "Eddystone-TLM"
    case .encryptedTelemetry: "Eddystone-TLM (encrypted)"
    case .ephemeralIdentifier: "Eddystone-EID"
    }
  }

  /// The frame contains the power at 0 m.
  ///
  /// The loss over the first metre is 41 dB.
  public var rssiAtOneMetre: Int? {
    switch self {
    case .uid(_, _, let power), .url(_, let power), .ephemeralIdentifier(_, let power): Int(power) - 41
    case .telemetry, .encryptedTelemetry: nil
    }
  }

  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    switch self {
    case .uid(let namespace, let instance, _):
      fields.add("namespace", .bytes(namespace))
      fields.add("instance", .bytes(instance))
    case .url(let url, _): fields.add("url", .text(url))
    case .telemetry(let telemetry): telemetry.add(to: &fields)
    case .encryptedTelemetry(let sealed): fields.add("encrypted", .bytes(sealed))
    case .ephemeralIdentifier(let identifier, _): fields.add("eid", .bytes(identifier))
    }
    switch self {
    case .uid(_, _, let power), .url(_, let power), .ephemeralIdentifier(_, let power):
      fields.add("tx_power_dbm", .integer(Int(power)), label: "at 0 m", unit: "dBm")
    case .telemetry, .encryptedTelemetry: break
    }
    return fields
  }
}

extension Eddystone.Telemetry {
  fileprivate func add(to fields: inout DecodedFields) {
    if let battery { fields.add("battery_mv", .integer(battery), label: "battery", unit: "mV") }
    if let temperature {
      // 256ths have up to eight decimals; the sensors justify only three.
      let thousandths = DecimalNumber(mantissa: temperature * 390_625, exponent: -8).dropping(5)
      fields.add("temperature_celsius", .decimal(thousandths), unit: "°C")
    }
    fields.add("advertisements", .integer(advertisements), label: "advertisements")
    fields.add("uptime_s", .decimal(DecimalNumber(mantissa: uptime, exponent: -1)), label: "up", unit: "s")
  }
}
