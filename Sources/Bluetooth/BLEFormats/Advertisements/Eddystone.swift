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
    /// In millivolts, from 1 to 65535; nil if it has no battery.
    public let battery: Int?
    /// In 256ths of a degree Celsius, from -32767 to 32767; nil if it has no thermometer.
    public let temperature: Int?
    /// The number of advertisements since it was switched on, up to 4294967295.
    public let advertisements: Int
    /// The time since it was switched on, in tenths of a second, up to 4294967295.
    public let uptime: Int
    /// The bytes behind the uptime, which some makers add.
    public let rest: [UInt8]

    /// Creates telemetry; each parameter sets the property of its name.
    public init(
      battery: Int?, temperature: Int?, advertisements: Int, uptime: Int, rest: [UInt8] = []
    ) {
      (self.battery, self.temperature) = (battery, temperature)
      (self.advertisements, self.uptime, self.rest) = (advertisements, uptime, rest)
    }
  }

  /// Decodes the bytes after the UUID, or returns nil; the two reserved bytes of a UID frame may be missing.
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
            advertisements: count, uptime: time, rest: reader.remainder()))
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

  /// The number of bytes that the frame has; nil if its last field has any length.
  ///
  /// The two reserved bytes of a UID frame count.
  var size: Int? {
    switch self {
    case .uid: 20
    case .encryptedTelemetry: 18
    case .ephemeralIdentifier: 10
    case .url, .telemetry: nil
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

  /// The power at 0 m that the frame contains, less the loss of 41 dB over the first metre.
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
    case .telemetry(let telemetry):
      telemetry.add(to: &fields)
      fields.rest = telemetry.rest
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

extension Eddystone: EncodableFormat {
  /// The service of the data, which the specification also requires in the list of services.
  public static let service = BluetoothUUID(short: 0xfeaa)

  /// Eddystone is found by its service.
  public var announcedServices: [BluetoothUUID] { [Self.service] }

  /// The service data.
  ///
  /// - Throws: if a part has the wrong size, a number is out of range, or a web address has no encoding or is too long.
  public func encoded() throws(FormatError) -> AdvertisedData { .service(Self.service, try data()) }

  /// The bytes after the UUID.
  private func data() throws(FormatError) -> [UInt8] {
    switch self {
    case .uid(let namespace, let instance, let power):
      // The last two bytes are reserved.
      return try [0x00, UInt8(bitPattern: power)]
        + Self.checked(namespace, 10, "the namespace of Eddystone-UID")
        + Self.checked(instance, 6, "the instance of Eddystone-UID") + [0, 0]
    case .url(let url, let power):
      return try [0x10, UInt8(bitPattern: power)] + EddystoneURL.encode(url)
    case .telemetry(let telemetry):
      return try [0x20, 0x00] + telemetry.bytes()
    case .encryptedTelemetry(let sealed):
      return try [0x20, 0x01] + Self.checked(sealed, 16, "encrypted telemetry")
    case .ephemeralIdentifier(let identifier, let power):
      return try [0x30, UInt8(bitPattern: power)] + Self.checked(identifier, 8, "an Eddystone-EID")
    }
  }

  private static func checked(_ bytes: [UInt8], _ size: Int, _ part: String) throws(FormatError) -> [UInt8] {
    guard bytes.count == size else {
      throw FormatError(
        Hex.string(bytes), "has the wrong size; \(part) has \(size) bytes, in \(2 * size) digits")
    }
    return bytes
  }
}

extension Eddystone.Telemetry {
  fileprivate func bytes() throws(FormatError) -> [UInt8] {
    // Zero millivolts stand for no battery, and -128 degrees for no thermometer.
    let battery =
      try battery.map { number throws(FormatError) in try Self.fitting(number, 1...0xffff, "battery") } ?? 0
    let temperature =
      try temperature.map { number throws(FormatError) in
        try Self.fitting(number, -0x7fff...0x7fff, "temperature")
      } ?? -0x8000
    let advertisements = try Self.fitting(advertisements, 0...0xffff_ffff, "advertisements")
    let uptime = try Self.fitting(uptime, 0...0xffff_ffff, "uptime")
    return UInt16(battery).bigEndianBytes + Int16(temperature).bigEndianBytes
      + UInt32(advertisements).bigEndianBytes + UInt32(uptime).bigEndianBytes + rest
  }

  private static func fitting(
    _ number: Int, _ range: ClosedRange<Int>, _ what: String
  ) throws(FormatError) -> Int {
    if range.contains(number) { return number }
    throw FormatError("\(number)", "is out of range: \(range.lowerBound) to \(range.upperBound) (\(what))")
  }
}

/// The compressed web addresses of Eddystone-URL: the first byte is a scheme, bytes below 14 are endings.
enum EddystoneURL {
  private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  /// The first seven bytes stand for these with a slash, the next seven without.
  private static let domains = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
  private static let endings = domains.map { $0 + "/" } + domains
  /// The number of bytes that fit after the scheme.
  private static let longest = 17
  /// The characters that are sent unchanged.
  private static let plain: ClosedRange<UInt8> = 0x21...0x7e

  /// Returns the address, or nil if it has no scheme or a byte that is invalid in addresses.
  static func decode(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first, schemes.indices.contains(Int(first)) else { return nil }
    var url = schemes[Int(first)]
    for byte in bytes.dropFirst() {
      if endings.indices.contains(Int(byte)) {
        url += endings[Int(byte)]
      } else if plain.contains(byte) {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        return nil
      }
    }
    return url
  }

  /// Returns the shortest bytes of an address.
  ///
  /// - Throws: if it has no known scheme, a character that needs percent-encoding, or too many bytes.
  static func encode(_ url: String) throws(FormatError) -> [UInt8] {
    // The schemes with `www.` come first, so that the longest match is used.
    guard let scheme = schemes.firstIndex(where: url.hasPrefix) else {
      throw FormatError(url, "does not begin with http:// or https://")
    }
    var rest = url.dropFirst(schemes[scheme].count)
    var bytes: [UInt8] = []
    while let character = rest.first {
      if let ending = endings.firstIndex(where: rest.hasPrefix) {
        bytes.append(UInt8(ending))
        rest = rest.dropFirst(endings[ending].count)
      } else if let byte = character.asciiValue, plain.contains(byte) {
        bytes.append(byte)
        rest = rest.dropFirst()
      } else {
        let escapes = character.utf8.map { "%" + Hex.string([$0]).uppercased() }.joined()
        throw FormatError(url, "contains a character that must be written as \(escapes)")
      }
    }
    if bytes.isEmpty { throw FormatError(url, "has nothing behind \(schemes[scheme])") }
    if bytes.count > longest {
      throw FormatError(url, "is too long: compressed it has \(bytes.count) bytes, and \(longest) fit")
    }
    return [UInt8(scheme)] + bytes
  }
}
