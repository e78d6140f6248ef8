// SPDX-License-Identifier: MIT
internal import BLECentral

/// A device as a list of facts, for `info`.
enum DeviceFacts {
  static func list(_ info: PeripheralInfo) -> [(name: String, value: String)] {
    let advertisement = info.advertisement
    let facts: [(String, String?)] = [
      ("address", info.address.description),
      ("address type", info.addressType?.rawValue),
      ("adapter", info.adapter),
      ("name", info.name),
      ("rssi", info.rssi.map { "\($0) dBm" }),
      ("tx power", advertisement.txPower.map { "\($0) dBm" }),
      ("connected", yes(info.isConnected)),
      ("paired", yes(info.isPaired)),
      ("bonded", yes(info.isBonded)),
      ("trusted", yes(info.isTrusted)),
      ("blocked", yes(info.isBlocked)),
      ("services resolved", yes(info.isServicesResolved)),
      ("battery level", info.batteryLevel.map { "\($0) %" }),
      ("services", advertisement.serviceUUIDs.isEmpty ? nil : DeviceTable.services(info)),
      ("data", DeviceTable.data(info).isEmpty ? nil : DeviceTable.data(info)),
      ("appearance", advertisement.appearance?.fourDigits),
      ("class", info.deviceClass.map { "0x" + String($0, radix: 16) }),
      ("icon", info.icon),
      ("modalias", info.modalias),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }

  private static func yes(_ flag: Bool) -> String { flag ? "yes" : "no" }
}
