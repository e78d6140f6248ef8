// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// An advertisement on the air, or one that waits for BlueZ or the adapter to come back.
///
/// Confined to the manager.
final class Advertiser {
  let number: Int
  let advertisement: Advertisement
  /// The object above that of the advertisement.
  let root: String
  var path: String { root + "/advertisement" }
  /// Where it is registered; nil while it is not.
  var registration: Registration?
  /// Whether it is registered again when BlueZ has lost it.
  var isWanted = false
  /// Why it could not be registered again; nil when it is.
  var lastFailure: BLEError?
  /// The turns of registering.
  let turns = SerialQueue()

  init(_ advertisement: Advertisement, number: Int) {
    self.advertisement = advertisement
    self.number = number
    root = "\(Publication.rootPath)/advertiser\(number)"
  }

  /// The properties that BlueZ reads.
  var properties: [(String, DBusValue)] {
    var properties: [(String, DBusValue)] = [
      ("Type", .string(advertisement.isConnectable ? "peripheral" : "broadcast"))
    ]
    if advertisement.isConnectable {
      properties.append(("Discoverable", .boolean(advertisement.isDiscoverable)))
    }
    if let name = advertisement.name { properties.append(("LocalName", .string(name))) }
    if !advertisement.services.isEmpty {
      properties.append(("ServiceUUIDs", .strings(advertisement.services.map(\.longForm))))
    }
    if !advertisement.manufacturerData.isEmpty {
      let entries = advertisement.manufacturerData.sorted { $0.key < $1.key }.map { company, data in
        DBusValue.Entry(.uint16(company), .variant(.bytes(data)))
      }
      properties.append(("ManufacturerData", .dictionary(key: "q", value: "v", entries)))
    }
    if !advertisement.serviceData.isEmpty {
      let entries = advertisement.serviceData.sorted { $0.key < $1.key }
      properties.append(("ServiceData", .properties(entries.map { ($0.key.longForm, .bytes($0.value)) })))
    }
    if let appearance = advertisement.appearance {
      properties.append(("Appearance", .uint16(appearance.rawValue)))
    }
    if advertisement.includesTxPower { properties.append(("Includes", .strings(["tx-power"]))) }
    if let interval = advertisement.interval {
      properties.append(("MinInterval", .uint32(UInt32(interval.lowerBound / .milliseconds(1)))))
      properties.append(("MaxInterval", .uint32(UInt32(interval.upperBound / .milliseconds(1)))))
    }
    if let duration = advertisement.duration {
      properties.append(("Timeout", .uint16(UInt16(duration / .seconds(1)))))
    }
    return properties
  }
}
