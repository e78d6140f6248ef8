// SPDX-License-Identifier: MIT

/// A raw advertisement or scan response, split into its structures.
///
/// BlueZ reports the structures itself. This type is for bytes from other sources, such as a sniffer log. It
/// accepts any bytes: those that cannot be split are in ``rest``.
public struct RawAdvertisement: Sendable, Hashable {
  /// The structures, in order.
  public let structures: [AdvertisingStructure]
  /// The bytes from the first structure that exceeds the data.
  public let rest: [UInt8]

  /// Splits the data of an advertisement, which a length of zero ends.
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

  /// The flags; nil if there are none.
  public var flags: AdvertisingFlags? {
    first(0x01)?.first.map { AdvertisingFlags(rawValue: $0) }
  }

  /// The name, the complete one if there are two; not escaped for a terminal.
  public var localName: String? { first(0x09, 0x08).map { String(decoding: $0, as: UTF8.self) } }

  /// The name of an Auracast broadcast; not escaped for a terminal.
  public var broadcastName: String? { first(0x30).map { String(decoding: $0, as: UTF8.self) } }

  /// The transmission power that the device reports, in dBm.
  public var txPower: Int? { first(0x0a)?.first.map { Int(Int8(bitPattern: $0)) } }

  /// The appearance of the device.
  public var appearance: Appearance? {
    guard let data = first(0x19), data.count >= 2 else { return nil }
    return Appearance(rawValue: UInt16(data[1]) << 8 | UInt16(data[0]))
  }

  /// The advertised services, with UUIDs of all lengths.
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

  /// Manufacturer data with company identifiers, in order.
  public var manufacturerData: [(company: UInt16, data: [UInt8])] {
    structures.compactMap { structure in
      guard structure.type == 0xff, structure.data.count >= 2 else { return nil }
      let company = UInt16(structure.data[1]) << 8 | UInt16(structure.data[0])
      return (company, Array(structure.data.dropFirst(2)))
    }
  }

  /// Service data with UUIDs, in order.
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

  /// The manufacturer and service data of known formats, in order.
  public var formats: [any AdvertisedFormat] { context.formats }

  /// What the formats depend on.
  var context: AdvertisedContext {
    AdvertisedContext(
      localName: localName, services: serviceUUIDs,
      data: manufacturerData.map { .manufacturer($0.company, $0.data) }
        + serviceData.map { .service($0.service, $0.data) })
  }
}

extension BluetoothUUID {
  /// Creates the UUID of 2, 4 or 16 bytes as sent, least significant first.
  fileprivate init(littleEndian bytes: [UInt8]) {
    if let long = BluetoothUUID(bytes: bytes.reversed()) {
      self = long
    } else {
      self.init(bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }
}
