// SPDX-License-Identifier: MIT

/// Finds what does not fit, where BlueZ would only answer `Failed to register advertisement`.
struct AdvertisementCheck {
  /// The room of an advertisement, and that of a scan response.
  static let room = 31
  /// The longest name, beside its length and type.
  static let longestName = room - 2
  /// What the shortest interval and the longest one are.
  private static let intervals = Duration.milliseconds(20)...Duration.milliseconds(10_240)

  let advertisement: Advertisement
  let operation: Operation

  /// - Throws: ``BLEError`` with code `invalidDefinition` or `invalidLength` and what is wrong.
  func check() throws(BLEError) {
    if advertisement.isDiscoverable, !advertisement.isConnectable {
      throw fault("an advertisement that cannot be connected to cannot be discoverable")
    }
    if let interval = advertisement.interval {
      guard Self.intervals.contains(interval.lowerBound), Self.intervals.contains(interval.upperBound) else {
        throw fault("the interval has to be from 20 ms to 10.24 s")
      }
    }
    if let duration = advertisement.duration {
      guard (Duration.seconds(1)...Duration.seconds(65_535)).contains(duration) else {
        throw fault("the duration has to be from 1 s to 65535 s")
      }
    }
    if size > Self.room {
      let parts = fields.map { "\($0.name) \($0.size)" }.joined(separator: ", ")
      throw operation.error(
        .invalidLength, "it has \(size) bytes, and \(Self.room) fit: \(parts)")
    }
    if let name = advertisement.name, name.utf8.count > Self.longestName {
      throw operation.error(
        .invalidLength, "the name has \(name.utf8.count) bytes, and \(Self.longestName) fit: \(name)")
    }
  }

  /// The size of the advertisement without the name.
  var size: Int { fields.reduce(0) { $0 + $1.size } }

  /// The parts of the advertisement with their sizes, each with its length and type.
  private var fields: [(name: String, size: Int)] {
    var fields: [(name: String, size: Int)] = []
    if advertisement.isDiscoverable { fields.append(("flags", 3)) }
    if advertisement.includesTxPower { fields.append(("TX power", 3)) }
    if advertisement.appearance != nil { fields.append(("appearance", 4)) }
    for size in [2, 4, 16] {
      let count = advertisement.services.count { Self.size(of: $0) == size }
      if count > 0 { fields.append(("services of \(8 * size) bits", 2 + count * size)) }
    }
    for (company, data) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
      let digits = Hex.string([UInt8(company >> 8), UInt8(truncatingIfNeeded: company)])
      fields.append(("manufacturer data \(digits)", 4 + data.count))
    }
    for (service, data) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
      fields.append(("service data \(service)", 2 + Self.size(of: service) + data.count))
    }
    return fields
  }

  private static func size(of uuid: BluetoothUUID) -> Int {
    switch uuid.shortForm {
    case .some(let number) where number <= 0xffff: 2
    case .some: 4
    case .none: 16
    }
  }

  private func fault(_ message: String) -> BLEError { operation.error(.invalidDefinition, message) }
}

extension Advertisement {
  /// How many bytes do not fit, without the name.
  package var excess: Int {
    max(
      0,
      AdvertisementCheck(advertisement: self, operation: Operation("advertise", timeout: nil)).size
        - AdvertisementCheck.room)
  }

  /// The longest name, in bytes.
  package static let longestName = AdvertisementCheck.longestName
}
