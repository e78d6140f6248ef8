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

  /// Returns the place of the structure that counts: the last one of the first type that has any, as BlueZ reads them.
  ///
  /// A structure with too few bytes does not count.
  private func place(_ types: UInt8..., least: Int = 0) -> Int? {
    types.lazy.compactMap { type in
      structures.lastIndex { $0.type == type && $0.data.count >= least }
    }.first
  }

  /// The places of the structures that occur once: the flags, the name and so on.
  private var places: (flags: Int?, name: Int?, broadcastName: Int?, txPower: Int?, appearance: Int?) {
    (
      place(0x01, least: 1), place(0x09, 0x08), place(0x30), place(0x0a, least: 1), place(0x19, least: 2)
    )
  }

  /// The flags; nil if there are none.
  public var flags: AdvertisingFlags? {
    places.flags.map { AdvertisingFlags(rawValue: structures[$0].data[0]) }
  }

  /// The name, the complete one if there are two, and the last of several; not escaped for a terminal.
  public var localName: String? { places.name.map { String(decoding: structures[$0].data, as: UTF8.self) } }

  /// The name of an Auracast broadcast; not escaped for a terminal.
  public var broadcastName: String? {
    places.broadcastName.map { String(decoding: structures[$0].data, as: UTF8.self) }
  }

  /// The transmission power that the device reports, in dBm.
  public var txPower: Int? { places.txPower.map { Int(Int8(bitPattern: structures[$0].data[0])) } }

  /// The appearance of the device.
  public var appearance: Appearance? {
    guard let data = places.appearance.map({ structures[$0].data }) else { return nil }
    return Appearance(rawValue: UInt16(data[1]) << 8 | UInt16(data[0]))
  }

  /// The structures, or the bytes of them, that the other properties do not contain; and the number of bytes that a
  /// structure lacks.
  var others: [(structure: AdvertisingStructure, missing: Int)] {
    let places = places
    let once = [places.flags, places.name, places.broadcastName, places.txPower, places.appearance]
    return structures.indices.compactMap { index in
      let structure = structures[index]
      let (used, missing): (Int, Int)
      switch structure.content {
      case .once(let size):
        // A second one does not count, whatever its size.
        missing = max(0, (size ?? 0) - structure.data.count)
        used = once.contains(index) ? size ?? structure.data.count : 0
        if once.contains(index), used == structure.data.count { return nil }
      case .list(let size):
        let excess = structure.data.count % size
        (used, missing) = (structure.data.count - excess, excess == 0 ? 0 : size - excess)
        if excess == 0 { return nil }
      case .data(let size):
        (used, missing) = (0, size - structure.data.count)
        if missing <= 0 { return nil }
      case .other: (used, missing) = (0, 0)
      }
      let bytes = Array(structure.data.dropFirst(used))
      return (AdvertisingStructure(type: structure.type, data: bytes), missing)
    }
  }

  /// The advertised services, with UUIDs of all lengths.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      guard case .list(let size) = structure.content else { return [] }
      var reader = ByteReader(structure.data)
      var uuids: [BluetoothUUID] = []
      while let bytes = reader.bytes(size) { uuids.append(BluetoothUUID(littleEndian: bytes)) }
      return uuids
    }
  }

  /// Manufacturer data with company identifiers, in order.
  public var manufacturerData: [(company: UInt16, data: [UInt8])] {
    structures.compactMap { structure in
      guard structure.type == AdvertisingStructure.manufacturerData, structure.data.count >= 2 else {
        return nil
      }
      let company = UInt16(structure.data[1]) << 8 | UInt16(structure.data[0])
      return (company, Array(structure.data.dropFirst(2)))
    }
  }

  /// Service data with UUIDs, in order.
  public var serviceData: [(service: BluetoothUUID, data: [UInt8])] {
    structures.compactMap { structure in
      guard structure.type != AdvertisingStructure.manufacturerData,
        case .data(let size) = structure.content, structure.data.count >= size
      else { return nil }
      let uuid = BluetoothUUID(littleEndian: Array(structure.data.prefix(size)))
      return (uuid, Array(structure.data.dropFirst(size)))
    }
  }

  /// The manufacturer and service data of known formats, in order.
  public var formats: [any AdvertisedFormat] { context.formats }

  /// The context on which the formats depend.
  package var context: AdvertisedContext {
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
