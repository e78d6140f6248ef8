// SPDX-License-Identifier: MIT

/// The operations that a characteristic permits.
public struct CBCharacteristicProperties: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt

  /// Makes a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value may be broadcast.
  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  /// The value can be read.
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  /// The value can be written without a response.
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  /// The value can be written with a response.
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  /// The value can be subscribed to, without confirmation.
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  /// The value can be subscribed to, with confirmation.
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  /// The value can be written with a signature.
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  /// A descriptor contains further properties.
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  /// Notifications require an encrypted link.
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  /// Indications require an encrypted link.
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// The way to write a value.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral confirms or refuses the write.
  case withResponse = 0
  /// The peripheral does not respond.
  case withoutResponse
}
