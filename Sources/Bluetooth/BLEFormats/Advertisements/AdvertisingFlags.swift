// SPDX-License-Identifier: MIT

/// The flags of an advertisement, AD type 01: "Supplement to the Bluetooth Core Specification", part A, 1.3.
public struct AdvertisingFlags: OptionSet, Sendable, Hashable {
  /// The byte as sent.
  public let rawValue: UInt8

  /// Creates the flags in a byte, including reserved bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Limited discoverable mode: discoverable for a short time.
  public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
  /// General discoverable mode.
  public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
  /// Supports only LE.
  public static let classicNotSupported = AdvertisingFlags(rawValue: 0x04)
  /// Its controller supports LE and BR/EDR simultaneously.
  public static let dualModeController = AdvertisingFlags(rawValue: 0x08)
  /// Its host supports LE and BR/EDR simultaneously; no longer used.
  public static let dualModeHost = AdvertisingFlags(rawValue: 0x10)

  /// The names of the flags that are set; reserved bits are `bit-5` and so on.
  public var names: [String] {
    rawValue.namesOfBits(
      "le-limited-discoverable", "le-general-discoverable", "br-edr-not-supported",
      "le-and-br-edr-controller", "le-and-br-edr-host")
  }
}

extension FixedWidthInteger {
  /// Returns the names of the bits that are set, those without a name as `bit-7`.
  func namesOfBits(_ names: String...) -> [String] {
    (0..<Self.bitWidth).filter { self & 1 << $0 != 0 }.map { $0 < names.count ? names[$0] : "bit-\($0)" }
  }
}
