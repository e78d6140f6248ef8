// SPDX-License-Identifier: MIT

/// The link to a peripheral, as reported to its delegate.
public enum CBPeripheralState: Int, Sendable {
  /// No link.
  case disconnected = 0
  /// A link is being made, or waited for.
  case connecting
  /// A link exists, and its services are known.
  case connected
  /// The program gives the link up.
  case disconnecting
}

/// How a value is written.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral confirms or refuses it.
  case withResponse = 0
  /// Nothing comes back.
  case withoutResponse
}

/// What happened to a link of any program.
public enum CBConnectionEvent: Int, Sendable {
  /// It ended.
  case peerDisconnected = 0
  /// It was made.
  case peerConnected = 1
}

/// How often a central should ask for data.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Often.
  case low = 0
  /// Less often.
  case medium
  /// Seldom, which saves power.
  case high
}

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

/// What centrals may do with the value of a local characteristic.
public struct CBAttributePermissions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Makes a set of the bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// They may read it.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// They may write it.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// They may read it over an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// They may write it over an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
