// SPDX-License-Identifier: MIT

/// A Xiaomi thermometer with open firmware, in service data of 181A: the formats of atc1441 and of pvvx, from the README of
/// `pvvx/ATC_MiThermometer`.
public struct ATCThermometer: AdvertisedFormat, Hashable {
  static let service = BluetoothUUID(short: 0x181a)

  /// The format of a firmware.
  public enum Variant: String, Sendable, Hashable {
    /// 13 bytes, most significant first, in tenths of a degree.
    case atc1441
    /// 15 bytes, least significant first, in hundredths of a degree.
    case pvvx
  }

  /// The format.
  public let variant: Variant
  /// The values, with their units in the keys; only that they are encrypted, if they are.
  public let fields: DecodedFields
  /// The counter, the encrypted measurement and the tag; empty if it is not encrypted.
  private let sealed: [UInt8]

  /// Decodes the bytes after the UUID: 13 or 15, or 8 or 11 if encrypted; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    sealed = [8, 11].contains(data.count) ? data : []
    switch data.count {
    case 13:
      variant = .atc1441
      guard let digits = reader.bytes(6), let address = BluetoothAddress(bytes: digits),
        let temperature = reader.signed(2, isBigEndian: true), let humidity = reader.unsigned(1),
        let level = reader.unsigned(1), let battery = reader.unsigned(2, isBigEndian: true),
        let counter = reader.unsigned(1)
      else { return nil }
      fields = Self.fields(
        of: address, temperature: DecimalNumber(tenths: temperature),
        humidity: DecimalNumber(mantissa: humidity, exponent: 0), level: level, battery: battery,
        counter: counter, flags: nil)
    case 15:
      variant = .pvvx
      guard let digits = reader.bytes(6), let address = BluetoothAddress(bytes: Array(digits.reversed())),
        let temperature = reader.signed(2), let humidity = reader.unsigned(2),
        let battery = reader.unsigned(2),
        let level = reader.unsigned(1), let counter = reader.unsigned(1), let flags = reader.unsigned(1)
      else { return nil }
      fields = Self.fields(
        of: address, temperature: DecimalNumber(hundredths: temperature),
        humidity: DecimalNumber(hundredths: humidity), level: level, battery: battery, counter: counter,
        flags: flags)
    case 8, 11:
      variant = data.count == 8 ? .atc1441 : .pvvx
      var fields = DecodedFields()
      fields.add("encrypted", true, label: "encrypted")
      self.fields = fields
    default: return nil
    }
  }

  /// The voltage is nil if the data was encrypted; the flags are of pvvx, and of encrypted ATC, which has only the bit 04.
  private static func fields(
    of address: BluetoothAddress, temperature: DecimalNumber, humidity: DecimalNumber, level: Int,
    battery: Int?, counter: Int, flags: Int?
  ) -> DecodedFields {
    var fields = DecodedFields()
    fields.addClimate(temperature: temperature, humidity: humidity, battery: level)
    fields.addKnown("battery_mv", battery, label: "battery", unit: "mV")
    fields.addKnown("counter", counter, label: "counter")
    fields.addKnown("flags", flags, label: "flags")
    fields.add("mac", .text(address.description))
    fields.rejectImpossible()
    return fields
  }

  /// The name of the format for programs.
  public var type: String { variant == .pvvx ? "pvvx" : "atc" }
  /// The name of the format for people.
  public var label: String { (variant == .pvvx ? "pvvx" : "ATC") + (needsKey ? " (encrypted)" : "") }
}

/// Source: `src/custom_beacon.c` of `pvvx/ATC_MiThermometer`.
extension ATCThermometer: DecryptableFormat {
  /// True if the values are encrypted.
  public var needsKey: Bool { !sealed.isEmpty }

  private init(variant: Variant, fields: DecodedFields) {
    (self.variant, self.fields, sealed) = (variant, fields, [])
  }

  /// Decrypts the measurement behind a counter of one byte; a tag of four bytes follows it.
  func decrypted(
    from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> (format: ATCThermometer, counter: PacketCounter) {
    var reader = ByteReader(
      try key.open(
        sealed.dropFirst().dropLast(4), tag: sealed.suffix(4),
        nonce: Self.nonce(of: sealed.count, sealed[0], address), associated: Self.associated))
    let counter = PacketCounter(littleEndian: sealed.prefix(1))
    let isPVVX = variant == .pvvx
    guard let temperature = isPVVX ? reader.signed(2) : reader.unsigned(1),
      let humidity = reader.unsigned(isPVVX ? 2 : 1), let level = reader.unsigned(1)
    else { throw .malformed("the measurement is cut off") }
    // ATC sends halves of a degree above -40 °C, halves of a percent, and the trigger in a bit of the battery's level.
    let fields = Self.fields(
      of: address,
      temperature: isPVVX
        ? DecimalNumber(hundredths: temperature) : DecimalNumber(tenths: 5 * (temperature - 80)),
      humidity: isPVVX ? DecimalNumber(hundredths: humidity) : DecimalNumber(tenths: 5 * humidity),
      level: isPVVX ? level : level & 0x7f, battery: nil, counter: Int(counter.value),
      flags: isPVVX ? reader.unsigned(1) : (level >> 7) << 2)
    return (ATCThermometer(variant: variant, fields: fields), counter)
  }

  private static let associated: [UInt8] = [0x11]

  /// The nonce of data of a length; the header of the advertising structure is a part: length, type of service data, UUID.
  private static func nonce(of count: Int, _ counter: UInt8, _ address: BluetoothAddress) -> [UInt8] {
    address.bytes.reversed() + [UInt8(count + 3), 0x16, 0x1a, 0x18] + [counter]
  }

  /// Encrypts the 15 bytes of pvvx, without the address and the voltage; the counter replaces theirs.
  static func sealed(
    pvvx bytes: [UInt8], from address: BluetoothAddress, key: BindKey, counter: UInt8
  ) throws(DecryptionError) -> [UInt8] {
    let values = bytes[6..<10] + [bytes[12], bytes[14]]
    let sealed = try key.seal(values, nonce: nonce(of: 11, counter, address), associated: associated)
    return [counter] + sealed.bytes + sealed.tag
  }
}
