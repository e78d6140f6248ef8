// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput

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
      ("distance", distance(info)),
      ("connected", yes(info.isConnected)),
      ("paired", yes(info.isPaired)),
      ("bonded", yes(info.isBonded)),
      ("trusted", yes(info.isTrusted)),
      ("blocked", yes(info.isBlocked)),
      ("services resolved", yes(info.isServicesResolved)),
      ("battery level", info.batteryLevel.map { "\($0) %" }),
      ("services", advertisement.serviceUUIDs.isEmpty ? nil : services(info)),
      ("data", DeviceText.data(info).isEmpty ? nil : DeviceText.data(info)),
      ("says", DeviceText.meaning(info).isEmpty ? nil : DeviceText.meaning(info)),
      (
        "flags",
        advertisement.flags?.first.map { AdvertisingFlags(rawValue: $0).names.joined(separator: ", ") }
      ),
      ("appearance", advertisement.appearance.map { appearance($0) }),
      ("class", info.deviceClass.map { "0x" + String($0, radix: 16) }),
      ("icon", info.icon),
      ("modalias", info.modalias),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The facts as lines of a terminal.
  ///
  /// - Parameters:
  ///   - info: the device.
  ///   - width: the columns of the terminal, to wrap longer lines; nil for none.
  ///   - style: draws the names.
  /// - Returns: safe text.
  static func lines(_ info: PeripheralInfo, width: Int?, style: Style) -> [String] {
    let facts = list(info)
    let indent = (facts.map(\.name.count).max() ?? 0) + 2
    return facts.flatMap { fact in
      let padding = String(repeating: " ", count: indent - fact.name.count)
      let line = style.apply(.bold, to: fact.name) + padding + TerminalSafe.escaped(fact.value)
      return TextWrap.lines(line, width: width, hanging: indent)
    }
  }

  /// About how far away it is, and what that is guessed from.
  private static func distance(_ info: PeripheralInfo) -> String? {
    guard let basis = info.distance()?.basis else { return nil }
    let source =
      switch basis {
      case .given: "given"
      case .beacon: "the strength at 1 m that it sends"
      case .txPower: "the TX power that it sends"
      case .assumed: "an assumed strength at 1 m"
      }
    return "\(DeviceText.distance(info, PathLoss())), guessed from \(source)"
  }

  /// The services, each with its UUID and its name.
  private static func services(_ info: PeripheralInfo) -> String {
    info.advertisement.serviceUUIDs.map { uuid in
      AssignedNumbers.name(ofService: uuid).map { "\(uuid) \($0)" } ?? uuid.description
    }.joined(separator: ", ")
  }

  private static func appearance(_ value: UInt16) -> String {
    value.fourDigits + (Appearance(rawValue: value).name.map { " " + $0 } ?? "")
  }

  private static func yes(_ flag: Bool) -> String { flag ? "yes" : "no" }
}
