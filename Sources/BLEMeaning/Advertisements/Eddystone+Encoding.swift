// SPDX-License-Identifier: MIT

extension Eddystone: EncodableFormat {
  /// The service that the data belongs to, which the specification also wants in the list of services.
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
    // Zero millivolts and -128 degrees mean that there is no battery, and no thermometer.
    let battery =
      try battery.map { number throws(FormatError) in try Self.fitting(number, 1...0xffff, "battery") } ?? 0
    let temperature =
      try temperature.map { number throws(FormatError) in
        try Self.fitting(number, -0x7fff...0x7fff, "temperature")
      } ?? -0x8000
    let advertisements = try Self.fitting(advertisements, 0...0xffff_ffff, "advertisements")
    let uptime = try Self.fitting(uptime, 0...0xffff_ffff, "uptime")
    return UInt16(battery).bigEndianBytes + Int16(temperature).bigEndianBytes
      + UInt32(advertisements).bigEndianBytes + UInt32(uptime).bigEndianBytes
  }

  private static func fitting(
    _ number: Int, _ range: ClosedRange<Int>, _ what: String
  ) throws(FormatError) -> Int {
    if range.contains(number) { return number }
    throw FormatError("\(number)", "is out of range: \(range.lowerBound) to \(range.upperBound) (\(what))")
  }
}
