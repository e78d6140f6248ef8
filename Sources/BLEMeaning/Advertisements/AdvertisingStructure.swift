// SPDX-License-Identifier: MIT

/// One part of an advertisement: a type and its data; "Core Specification" volume 3, part C, 11.
public struct AdvertisingStructure: Sendable, Hashable {
  /// The AD type: 09 is the complete name.
  public let type: UInt8
  /// The data.
  public let data: [UInt8]

  /// Creates a part from its AD type and its data.
  public init(type: UInt8, data: [UInt8]) { (self.type, self.data) = (type, data) }

  /// Its size in bytes, including its length and its type.
  public var size: Int { 2 + data.count }

  /// Its bytes as sent: length, type and data; up to 254 bytes of data have a length.
  public var bytes: [UInt8] { [UInt8(clamping: 1 + data.count), type] + data }

  /// The name of the type: `Complete Local Name`; nil if the SIG has assigned none.
  public var typeName: String? { AssignedNumbers.advertisingTypes.name(of: UInt128(type)) }
}
