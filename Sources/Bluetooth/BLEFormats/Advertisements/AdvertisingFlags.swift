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
    (0..<8).filter { rawValue & 1 << $0 != 0 }.map { bit in
      switch bit {
      case 0: "le-limited-discoverable"
      case 1: "le-general-discoverable"
      case 2: "br-edr-not-supported"
      case 3: "le-and-br-edr-controller"
      case 4: "le-and-br-edr-host"
      default: "bit-\(bit)"
      }
    }
  }
}
