// SPDX-License-Identifier: MIT

/// The operations that a characteristic permits.
public struct CBCharacteristicProperties: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Makes a set of the bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Its value may be broadcast.
  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  /// It can be read.
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  /// It can be written without a response.
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  /// It can be written with a response.
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  /// It can be subscribed to; values are not confirmed.
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  /// It can be subscribed to; each value is confirmed.
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  /// It can be written with a signature.
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  /// A descriptor has further properties.
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  /// Only over an encrypted link it can be subscribed to for notifications.
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  /// Only over an encrypted link it can be subscribed to for indications.
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}
