// SPDX-License-Identifier: MIT

/// The operations that a characteristic permits; CoreBluetooth's `CBCharacteristicProperties`, BlueZ's
/// `Flags`.
///
/// The low eight bits come from the characteristic's declaration; the next two come from the Characteristic
/// Extended Properties descriptor, which BlueZ reads.
public struct CharacteristicProperties: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt16

  /// Makes a set from its bits; keeps unknown bits.
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
  /// The value can be subscribed to, without confirmation of each value.
  public static let notify = Self(rawValue: 0x10)
  /// The value can be subscribed to, with confirmation of each value.
  public static let indicate = Self(rawValue: 0x20)
  /// The value can be written over an unencrypted link, without a response but with a signature.
  public static let authenticatedSignedWrites = Self(rawValue: 0x40)
  /// Further properties are in a descriptor.
  public static let extendedProperties = Self(rawValue: 0x80)
  /// Several values can be checked, and then written together.
  public static let reliableWrite = Self(rawValue: 0x100)
  /// The user description can be written.
  public static let writableAuxiliaries = Self(rawValue: 0x200)
}
