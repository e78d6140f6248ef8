// SPDX-License-Identifier: MIT

/// An advertisement or a scan response as it was sent, taken to pieces.
///
/// BlueZ does this itself and tells the pieces; this is for bytes from elsewhere, such as a log of the air. Nothing that
/// is sent can make it fail: what does not fit is in ``rest``.
public struct RawAdvertisement: Sendable, Hashable {
  /// The parts, in their order.
  public let structures: [AdvertisingStructure]
  /// The bytes from the first part on that is longer than what is left.
  public let rest: [UInt8]

  /// Takes bytes to pieces.
  ///
  /// - Parameter bytes: the data of an advertisement; a length of zero ends it.
  public init(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    var structures: [AdvertisingStructure] = []
    while let length = reader.rest.first, length > 0 {
      var ahead = reader
      guard ahead.unsigned(1) != nil, let type = ahead.unsigned(1), let data = ahead.bytes(Int(length) - 1)
      else {
        break
      }
      structures.append(AdvertisingStructure(type: UInt8(type), data: data))
      reader = ahead
    }
    self.structures = structures
    let rest = reader.remainder()
    self.rest = rest.allSatisfy { $0 == 0 } ? [] : rest
  }

  private func first(_ types: UInt8...) -> [UInt8]? {
    types.lazy.compactMap { type in structures.first { $0.type == type }?.data }.first
  }

  /// The flags; nil when there are none.
  public var flags: AdvertisingFlags? {
    first(0x01)?.first.map { AdvertisingFlags(rawValue: $0) }
  }

  /// The name, the complete one where there are two; not yet safe for a terminal.
  public var localName: String? { first(0x09, 0x08).map { String(decoding: $0, as: UTF8.self) } }

  /// The power that the device says it sends with, in dBm.
  public var txPower: Int? { first(0x0a)?.first.map { Int(Int8(bitPattern: $0)) } }

  /// What the device looks like.
  public var appearance: Appearance? {
    guard let data = first(0x19), data.count >= 2 else { return nil }
    return Appearance(rawValue: UInt16(data[1]) << 8 | UInt16(data[0]))
  }

  /// The services that it has, of all lengths of UUID.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      let size: Int
      switch structure.type {
      case 0x02, 0x03: size = 2
      case 0x04, 0x05: size = 4
      case 0x06, 0x07: size = 16
      default: return []
      }
      var reader = ByteReader(structure.data)
      var uuids: [BluetoothUUID] = []
      while let bytes = reader.bytes(size) { uuids.append(BluetoothUUID(littleEndian: bytes)) }
      return uuids
    }
  }

  /// Manufacturer data with their company identifiers, in their order.
  public var manufacturerData: [(company: UInt16, data: [UInt8])] {
    structures.compactMap { structure in
      guard structure.type == 0xff, structure.data.count >= 2 else { return nil }
      let company = UInt16(structure.data[1]) << 8 | UInt16(structure.data[0])
      return (company, Array(structure.data.dropFirst(2)))
    }
  }

  /// Service data with their UUIDs, in their order.
  public var serviceData: [(service: BluetoothUUID, data: [UInt8])] {
    structures.compactMap { structure in
      let size: Int
      switch structure.type {
      case 0x16: size = 2
      case 0x20: size = 4
      case 0x21: size = 16
      default: return nil
      }
      guard structure.data.count >= size else { return nil }
      let uuid = BluetoothUUID(littleEndian: Array(structure.data.prefix(size)))
      return (uuid, Array(structure.data.dropFirst(size)))
    }
  }

  /// What is known of the formats of manufacturer and service data, in their order.
  public var formats: [any AdvertisedFormat] {
    manufacturerData.compactMap { AdvertisedFormats.decode(company: $0.company, data: $0.data) }
      + serviceData.compactMap { AdvertisedFormats.decode(service: $0.service, data: $0.data) }
  }
}

extension BluetoothUUID {
  /// The UUID of 2, 4 or 16 bytes in the order in which they are sent, the least significant first.
  fileprivate init(littleEndian bytes: [UInt8]) {
    if let long = BluetoothUUID(bytes: bytes.reversed()) {
      self = long
    } else {
      self.init(bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }
}
