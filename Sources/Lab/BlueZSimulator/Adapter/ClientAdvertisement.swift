// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

/// The properties of a client's `LEAdvertisement1`, as the daemon parses them.
struct ClientAdvertisement {
  private static let invalid = BlueZError.failed("Failed to parse advertisement.")
  private static let tooLong = BlueZError.failed("Failed to register advertisement")
  /// The capacity in bytes of an advertisement, and of a scan response.
  private static let room = 31

  private(set) var spec = AdvertisementSpec(
    flags: nil, interval: .milliseconds(1280), rssi: -50, rssiDrift: 0)
  /// The time after which it ends; nil for never.
  private(set) var timeout: Duration?
  private var isDiscoverable: Bool?
  private var interval: (low: UInt32?, high: UInt32?)

  /// Parses the reply of GetAll, or refuses it as the daemon does; nil counts as an empty advertisement.
  init(_ properties: DBusValue?, alias: String, txPower: Int16) throws(BlueZError) {
    spec.isConnectable = try ClientAdvertisement.isConnectable(properties?["Type"])
    if case .dictionary(_, _, let entries) = properties {
      for entry in entries { try take(entry.key.text ?? "", entry.value.unwrapped) }
    }
    for include in ClientAdvertisement.strings(properties?["Includes"]) {
      switch include {
      case "tx-power": spec.txPower = txPower
      case "local-name":
        guard spec.name == nil else { throw ClientAdvertisement.invalid }
        spec.name = alias
      // The daemon adds it, and the kernel refuses the second one.
      case "appearance": throw ClientAdvertisement.tooLong
      default: break
      }
    }
    try finish()
  }

  private static func isConnectable(_ type: DBusValue?) throws(BlueZError) -> Bool {
    switch type?.text {
    case "peripheral": true
    case nil, "broadcast": false
    default: throw invalid
    }
  }

  private mutating func take(_ property: String, _ value: DBusValue) throws(BlueZError) {
    switch (property, value) {
    case ("ServiceUUIDs", .array(of: "s", let texts)):
      for text in texts {
        guard let uuid = text.text.flatMap({ BluetoothUUID(bluez: $0) }) else {
          throw ClientAdvertisement.invalid
        }
        spec.services.append(uuid)
      }
    case ("ManufacturerData", .dictionary("q", _, let entries)):
      for entry in entries {
        guard case .uint16(let company) = entry.key, case .bytes(let bytes) = entry.value.unwrapped else {
          throw ClientAdvertisement.invalid
        }
        spec.manufacturerData.append(.init(company: company, bytes: bytes))
      }
    case ("ServiceData", .dictionary("s", _, let entries)):
      for entry in entries {
        guard let service = entry.key.text.flatMap({ BluetoothUUID(bluez: $0) }),
          case .bytes(let bytes) = entry.value.unwrapped
        else { throw ClientAdvertisement.invalid }
        spec.serviceData.append(.init(service: service, bytes: bytes))
      }
    case ("LocalName", .string(let name)): spec.name = name.isEmpty ? nil : name
    // The simulated controller has no extended advertising.
    case ("SecondaryChannel", _): throw ClientAdvertisement.invalid
    case ("Appearance", .uint16(let appearance)): spec.appearance = appearance
    case ("Discoverable", .boolean(let isOn)):
      guard spec.isConnectable || !isOn else { throw ClientAdvertisement.invalid }
      isDiscoverable = isOn
    case ("Timeout", .uint16(let seconds)): timeout = seconds == 0 ? nil : .seconds(Int(seconds))
    case ("MinInterval", .uint32(let time)): interval.low = time
    case ("MaxInterval", .uint32(let time)): interval.high = time
    case ("Type", _), ("Includes", _), ("Duration", _), ("TxPower", _), ("DiscoverableTimeout", _),
      ("SolicitUUIDs", _), ("Data", _):
      break
    case ("ServiceUUIDs", _), ("ManufacturerData", _), ("ServiceData", _), ("LocalName", _),
      ("Appearance", _), ("Discoverable", _), ("Timeout", _):
      throw ClientAdvertisement.invalid
    default: break
    }
  }

  /// Adds the flags, and checks the lengths.
  private mutating func finish() throws(BlueZError) {
    // The kernel adds flags if they fit; the name is in the scan response.
    let items = AdvertisingReport(advertisement: spec, name: nil, rssi: 0).fields.map { $0.bytes.count + 2 }
    let length = items.reduce(0, +)
    guard items.allSatisfy({ $0 <= ClientAdvertisement.room }) else { throw ClientAdvertisement.invalid }
    if isDiscoverable == true {
      guard length + 3 <= ClientAdvertisement.room else { throw ClientAdvertisement.tooLong }
      spec.flags = 0x06
    } else {
      guard length <= ClientAdvertisement.room else { throw ClientAdvertisement.tooLong }
      if length + 3 <= ClientAdvertisement.room { spec.flags = 0x04 }
    }
    spec.name = spec.name.map {
      String(decoding: $0.utf8.prefix(ClientAdvertisement.room - 2), as: UTF8.self)
    }
    if spec.name != nil { spec.scanResponse = [.name] }
    if !spec.isConnectable { spec.interval = .milliseconds(125) }
    guard let low = interval.low, let high = interval.high else { return }
    guard low >= 20, low <= high else { throw ClientAdvertisement.invalid }
    spec.interval = .milliseconds(Int(low))
  }

  private static func strings(_ value: DBusValue?) -> [String] {
    if case .array(_, let elements) = value { elements.compactMap(\.text) } else { [] }
  }
}
