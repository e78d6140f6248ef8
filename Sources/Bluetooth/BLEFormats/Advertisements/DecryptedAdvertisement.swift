// SPDX-License-Identifier: MIT

/// Advertised data that was decoded with a key, if it was encrypted.
public struct DecryptedAdvertisement: Sendable {
  /// The decoded values.
  public let format: any AdvertisedFormat
  /// The counter of the packet, for a ``ReplayFilter``; nil if the data was not encrypted, so that anyone can have sent it.
  public let counter: PacketCounter?

  /// True if a key decrypted the data.
  public var wasEncrypted: Bool { counter != nil }
}

/// A format that may be encrypted.
protocol DecryptableFormat: AdvertisedFormat {
  /// Decrypts the values with the key of the device that sends from an address.
  func decrypted(
    from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> (format: Self, counter: PacketCounter)
}

extension AdvertisedFormats {
  /// Decodes manufacturer or service data, and decrypts it if needed.
  ///
  /// BTHome 2, MiBeacon, ATC and pvvx thermometers, and Victron's instant readout can be encrypted. Victron's data has no
  /// checksum: only one byte shows whether the key fits.
  ///
  /// ```swift
  /// let data: [UInt8] = [0x41, 0xa4, 0x72, 0x66, 0xc9, 0x5f, 0x73, 0, 0x11, 0x22, 0x33, 0x78, 0x23, 0x72, 0x14]
  /// let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
  /// if let address = BluetoothAddress("54:48:E6:8F:80:A5") {
  ///   let reading = try AdvertisedFormats.decode(.service(BTHome.service, data), from: address, key: key)
  ///   print(reading?.format.text ?? "unknown")           // "BTHome 25.06 °C, humidity 50.55 %"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - data: the advertised data.
  ///   - address: the address that it came from.
  ///   - key: the key of the device; nil if there is none.
  /// - Returns: the values; nil if the format is unknown or does not match.
  /// - Throws: an error if the data is encrypted and there is no key, or another one.
  public static func decode(
    _ data: AdvertisedData, from address: BluetoothAddress, key: BindKey?
  ) throws(DecryptionError) -> DecryptedAdvertisement? {
    guard let format = decode(data) else { return nil }
    guard format.needsKey, let encrypted = format as? any DecryptableFormat else {
      return DecryptedAdvertisement(format: format, counter: nil)
    }
    guard let key else { throw .keyMissing }
    return try decrypt(encrypted, from: address, key: key)
  }

  private static func decrypt(
    _ format: some DecryptableFormat, from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> DecryptedAdvertisement {
    let (format, counter) = try format.decrypted(from: address, key: key)
    return DecryptedAdvertisement(format: format, counter: counter)
  }
}
