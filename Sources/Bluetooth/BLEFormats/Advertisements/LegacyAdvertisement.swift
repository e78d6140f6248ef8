// SPDX-License-Identifier: MIT

/// The contents of a legacy advertisement as BlueZ arranges them, and whether they fit.
///
/// An advertisement and its scan response can each have 31 bytes. BlueZ puts the name into the scan response,
/// and everything else into the advertisement.
///
/// ```swift
/// let advertisement = LegacyAdvertisement(
///   flags: .generalDiscoverable, data: [try Eddystone.url("https://example.com", txPower: -18).encoded()])
/// advertisement.size                                   // 18
/// advertisement.excess                                 // nil: it fits
/// ```
public struct LegacyAdvertisement: Sendable, Hashable {
  /// The capacity of an advertisement, and of a scan response, in bytes.
  public static let capacity = 31

  /// The flags; nil if none are sent.
  public var flags: AdvertisingFlags?
  /// The transmission power in dBm; nil if it is not sent.
  public var txPower: Int8?
  /// The appearance of the device; nil if it is not sent.
  public var appearance: Appearance?
  /// The services in the lists.
  public var services: [BluetoothUUID]
  /// Manufacturer and service data.
  public var data: [AdvertisedData]
  /// The name, in the scan response; nil or empty if it is not sent.
  public var name: String?

  /// Creates the contents of an advertisement; each parameter sets the property of its name.
  public init(
    flags: AdvertisingFlags? = nil, txPower: Int8? = nil, appearance: Appearance? = nil,
    services: [BluetoothUUID] = [], data: [AdvertisedData] = [], name: String? = nil
  ) {
    (self.flags, self.txPower, self.appearance) = (flags, txPower, appearance)
    (self.services, self.data, self.name) = (services, data, name)
  }

  /// The parts of the advertisement.
  public var structures: [AdvertisingStructure] { parts.map(\.structure) }

  /// The parts of the scan response.
  public var scanResponse: [AdvertisingStructure] {
    name.flatMap { $0.isEmpty ? nil : [AdvertisingStructure(name: $0)] } ?? []
  }

  /// The bytes that the advertisement needs.
  public var size: Int { structures.reduce(0) { $0 + $1.size } }

  /// The parts that do not fit, as a sentence without a full stop; nil if everything fits.
  ///
  /// `the advertisement has 38 bytes, and 31 fit: flags 3, services of 128 bits 18, manufacturer data 004c 17`
  public var excess: String? {
    if size > Self.capacity {
      let list = parts.map { "\($0.name) \($0.structure.size)" }.joined(separator: ", ")
      return "the advertisement has \(size) bytes, and \(Self.capacity) fit: \(list)"
    }
    let response = scanResponse.reduce(0) { $0 + $1.size }
    guard response > Self.capacity, let name else { return nil }
    return "the name has \(name.utf8.count) bytes, and \(Self.capacity - 2) fit"
  }

  private var parts: [(name: String, structure: AdvertisingStructure)] {
    var parts: [(name: String, structure: AdvertisingStructure)] = []
    func add(_ name: String, _ type: UInt8, _ data: [UInt8]) {
      parts.append((name, AdvertisingStructure(type: type, data: data)))
    }
    if let flags { add("flags", 0x01, [flags.rawValue]) }
    if let txPower { add("TX power", 0x0a, [UInt8(bitPattern: txPower)]) }
    if let appearance { add("appearance", 0x19, appearance.rawValue.littleEndianBytes) }
    for size in [2, 4, 16] {
      let list = services.filter { $0.advertised.count == size }
      if !list.isEmpty {
        parts.append(("services of \(8 * size) bits", AdvertisingStructure(services: list)))
      }
    }
    for data in data {
      let name =
        switch data {
        case .manufacturer(let company, _): "manufacturer data \(company.fourDigits)"
        case .service(let uuid, _): "service data \(uuid)"
        }
      parts.append((name, AdvertisingStructure(data)))
    }
    return parts
  }
}
