// SPDX-License-Identifier: MIT

/// The 48-bit address of a Bluetooth device, `F0:F1:F2:F3:F4:F5`.
///
/// CoreBluetooth hides addresses behind identifiers; BlueZ shows them. A device that uses privacy changes its
/// address every few minutes, until it is paired.
public struct BluetoothAddress: Sendable, Hashable {
  /// The first pair of digits in the most significant bits; the upper 16 bits are zero.
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// Creates the address of 6 bytes in the order of the text, the reverse of the order on air; else nil.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 6 else { return nil }
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The 6 bytes in the order of the text.
  public var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) } }
}

extension BluetoothAddress: LosslessStringConvertible {
  /// Parses six pairs of hexadecimal digits of any case, separated by `:` or `-`; nil for other text.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let parsed = text.withUTF8 { Self(utf8: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Parses the 17 ASCII characters of ``init(_:)``, without a NUL, or returns nil; allocates nothing.
  public init?(utf8: UnsafeRawBufferPointer) {
    guard utf8.count == 17, utf8[2] == UInt8(ascii: ":") || utf8[2] == UInt8(ascii: "-") else { return nil }
    self.init(utf8: utf8, separator: utf8[2])
  }

  /// Parses ASCII bytes with a given separator, which is `_` in BlueZ's object paths.
  package init?(utf8: UnsafeRawBufferPointer, separator: UInt8) {
    guard utf8.count == 17 else { return nil }
    var bits: UInt64 = 0
    for position in 0..<17 {
      let byte = utf8[position]
      if position % 3 == 2 {
        guard byte == separator else { return nil }
      } else {
        guard let digit = HexDigit.value(of: byte) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
    }
    self.init(bits: bits)
  }

  /// The address in upper case with colons, as BlueZ prints it: `F0:F1:F2:F3:F4:F5`.
  public var description: String { spelled(separator: UInt8(ascii: ":")) }

  /// Returns the 17 characters of the address in upper case, with a separator between the pairs.
  package func spelled(separator: UInt8) -> String {
    String(unsafeUninitializedCapacity: 17) { write(to: $0, separator) }
  }

  /// Appends ``description`` to a line.
  package func append(to line: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 17) { buffer in
      _ = write(to: buffer, UInt8(ascii: ":"))
      line.append(contentsOf: buffer)
    }
  }

  /// Writes the 17 characters, and returns how many they are.
  private func write(to buffer: UnsafeMutableBufferPointer<UInt8>, _ separator: UInt8) -> Int {
    for pair in 0..<6 {
      let byte = UInt8(truncatingIfNeeded: bits >> (40 - 8 * pair))
      buffer[3 * pair] = HexDigit.upper(byte >> 4)
      buffer[3 * pair + 1] = HexDigit.upper(byte)
      if pair < 5 { buffer[3 * pair + 2] = separator }
    }
    return 17
  }
}

extension BluetoothAddress: Comparable {
  /// Compares addresses in the order of their texts.
  public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

/// The kind of address of a device; the raw value is that of BlueZ's `AddressType` property.
public enum AddressType: String, Sendable, Hashable, CaseIterable {
  /// A permanent address that the IEEE assigned to the manufacturer.
  case `public`
  /// An address that the device chose: permanently, or, for privacy, for some minutes.
  case random
}

extension BluetoothAddress {
  /// Creates the address whose 48 bits are a number, `F0:F1:F2:F3:F4:F5` of 0xf0f1f2f3f4f5; nil for larger ones.
  package init?(number: UInt64) {
    guard number >> 48 == 0 else { return nil }
    self.init(bits: number)
  }

  /// The 48 bits as a number.
  package var number: UInt64 { bits }
}
