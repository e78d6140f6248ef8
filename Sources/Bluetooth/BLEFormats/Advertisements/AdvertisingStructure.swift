// SPDX-License-Identifier: MIT

/// One part of an advertisement: a type and its data; "Core Specification" volume 3, part C, 11.
public struct AdvertisingStructure: Sendable, Hashable {
  /// The AD type: 09 is the complete name.
  public let type: UInt8
  /// The data.
  public let data: [UInt8]

  /// Creates a part from its AD type and its data.
  public init(type: UInt8, data: [UInt8]) { (self.type, self.data) = (type, data) }

  /// The kinds of contents that are decoded.
  enum Content {
    /// A value of so many bytes, or of any number, that occurs once.
    case once(size: Int?)
    /// UUIDs of so many bytes.
    case list(size: Int)
    /// The number of a company or a service, of so many bytes, and its data.
    case data(size: Int)
    /// Contents that are not decoded.
    case other
  }

  static let manufacturerData: UInt8 = 0xff

  var content: Content {
    switch type {
    case 0x01, 0x0a: .once(size: 1)
    case 0x08, 0x09, 0x30: .once(size: nil)
    case 0x19: .once(size: 2)
    case 0x02, 0x03: .list(size: 2)
    case 0x04, 0x05: .list(size: 4)
    case 0x06, 0x07: .list(size: 16)
    case 0x16, Self.manufacturerData: .data(size: 2)
    case 0x20: .data(size: 4)
    case 0x21: .data(size: 16)
    default: .other
    }
  }

  /// Its size in bytes, including its length and its type.
  public var size: Int { 2 + data.count }

  /// Its bytes as sent: length, type and data; up to 254 bytes of data have a length.
  public var bytes: [UInt8] { [UInt8(clamping: 1 + data.count), type] + data }

  /// The name of the type: `Complete Local Name`; nil if the SIG has assigned none.
  public var typeName: String? { AssignedNumbers.advertisingTypes.name(of: UInt128(type)) }
}
