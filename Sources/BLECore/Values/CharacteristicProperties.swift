// SPDX-License-Identifier: MIT

/// The operations that a characteristic permits; CoreBluetooth's `CBCharacteristicProperties`, BlueZ's `Flags`.
///
/// The low eight bits are those of the characteristic's declaration; the two above them come from the
/// Characteristic Extended Properties descriptor, which BlueZ reads.
public struct CharacteristicProperties: OptionSet, Sendable, Hashable {
  /// The properties added up.
  public let rawValue: UInt16

  /// The properties of a sum of bits; unknown bits are kept.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The value may be broadcast in advertisements.
  public static let broadcast = Self(rawValue: 0x01)
  /// The value can be read.
  public static let read = Self(rawValue: 0x02)
  /// The value can be written without a response.
  public static let writeWithoutResponse = Self(rawValue: 0x04)
  /// The value can be written with a response.
  public static let write = Self(rawValue: 0x08)
  /// The value can be subscribed to; its receipt is not confirmed.
  public static let notify = Self(rawValue: 0x10)
  /// The value can be subscribed to; its receipt is confirmed.
  public static let indicate = Self(rawValue: 0x20)
  /// The value can be written without a response but with a signature, over an unencrypted link.
  public static let authenticatedSignedWrites = Self(rawValue: 0x40)
  /// Further properties are in a descriptor.
  public static let extendedProperties = Self(rawValue: 0x80)
  /// Several values can be written at once, each checked first.
  public static let reliableWrite = Self(rawValue: 0x100)
  /// The user description can be written.
  public static let writableAuxiliaries = Self(rawValue: 0x200)
}
