// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput

/// What is known of a device, as fields of lines and tables.
enum DeviceText {
  /// What a scan prints in a pipe behind address and RSSI: name, UUIDs of services, data, and what the data mean.
  static func describingFields(_ info: PeripheralInfo) -> [String] {
    [info.name ?? "", services(info), data(info), meaning(info)]
  }

  /// What `devices` shows.
  static let known = TableLayout(columns: [
    .init(title: "ADDRESS"), .init(title: "TYPE"), .init(title: "STATE"),
    .init(title: "RSSI", isNumeric: true), .init(title: "NAME", isFlexible: true),
  ])

  static func knownCells(_ info: PeripheralInfo) -> [TableLayout.Cell] {
    let state = [
      info.isConnected ? "connected" : nil, info.isPaired ? "paired" : nil, info.isTrusted ? "trusted" : nil,
      info.isBlocked ? "blocked" : nil,
    ].compactMap { $0 }
    return [
      .init(info.address.description), .init(info.addressType?.rawValue ?? ""),
      .init(state.joined(separator: ","), style: info.isConnected ? .green : nil),
      .init(info.rssi.map(String.init) ?? ""), .init(info.name ?? "", style: .bold),
    ]
  }

  static func services(_ info: PeripheralInfo) -> String {
    info.advertisement.serviceUUIDs.map(\.description).joined(separator: ",")
  }

  /// About how far away it is: `1.8 m`.
  static func distance(_ info: PeripheralInfo, _ path: PathLoss) -> String {
    guard let metres = info.distance(path)?.metres else { return "" }
    guard metres < 9.95 else { return "\(Int(min(metres, 99_999).rounded())) m" }
    let tenths = Int((metres * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) m"
  }

  /// Manufacturer and service data as far as they are understood; otherwise whose they are, and the bytes.
  static func meaning(_ info: PeripheralInfo) -> String {
    info.advertisement.data.map(\.text).joined(separator: " · ")
  }

  /// Manufacturer data by company, then service data by service: `0157=0100… 181a=…`.
  static func data(_ info: PeripheralInfo) -> String {
    let companies = info.advertisement.manufacturerData.sorted { $0.key < $1.key }
      .map { "\($0.key.fourDigits)=\(Hex.string($0.value))" }
    let services = info.advertisement.serviceData.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(Hex.string($0.value))" }
    return (companies + services).joined(separator: " ")
  }
}
