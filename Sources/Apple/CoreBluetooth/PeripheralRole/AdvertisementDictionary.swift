// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import Foundation

/// The data that a program wants to advertise, reduced to the part that fits.
///
/// Apple's framework shortens the name, and moves excess services to an area that only its own devices read.
/// BlueZ refuses an advertisement that is too long, so excess data is omitted here, with a notice.
struct AdvertisementDictionary: Sendable {
  private static let longestName = 29

  private(set) var advertisement = Advertisement()

  init(_ dictionary: [String: Any]) {
    for (key, value) in dictionary {
      switch (key, value) {
      case (CBAdvertisementDataLocalNameKey, let name as String):
        advertisement.name = Self.shortened(name)
      case (CBAdvertisementDataServiceUUIDsKey, let uuids as [CBUUID]):
        advertisement.services = uuids.map(\.value)
      case (CBAdvertisementDataManufacturerDataKey, let data as Data) where data.count >= 2:
        let bytes = Array(data)
        advertisement.manufacturerData = [UInt16(bytes[1]) << 8 | UInt16(bytes[0]): Array(bytes[2...])]
      case (CBAdvertisementDataServiceDataKey, let data as [CBUUID: Data]):
        let pairs = data.map { ($0.key.value, Array($0.value)) }
        advertisement.serviceData = Dictionary(pairs) { first, _ in first }
      case (CBAdvertisementDataTxPowerLevelKey, _):
        advertisement.includesTxPower = true
      default:
        Misuse.notice("The advertisement key '\(key)' is not allowed, or its value is of another type")
      }
    }
  }

  /// Omits the last service; returns whether there was one.
  mutating func dropService() -> Bool {
    guard let service = advertisement.services.popLast() else { return false }
    Misuse.notice("the service \(CBUUID(service).uuidString) does not fit into the advertisement")
    return true
  }

  private static func shortened(_ name: String) -> String {
    var name = name
    while name.utf8.count > longestName { name.removeLast() }
    return name
  }
}
