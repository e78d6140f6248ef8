// SPDX-License-Identifier: MIT
internal import BLECentral

/// Devices as rows: the columns of tables on a terminal, and of lines in a pipe.
enum DeviceTable {
  /// What a scan shows.
  static let scanned = TableLayout(columns: [
    .init(title: "ADDRESS"), .init(title: "RSSI", isNumeric: true), .init(title: "NAME"),
    .init(title: "SERVICES"), .init(title: "DATA", isFlexible: true),
  ])

  static func scannedCells(_ info: PeripheralInfo) -> [TableLayout.Cell] {
    [
      .init(info.address.description, style: info.isConnected ? .green : nil),
      .init(info.rssi.map(String.init) ?? ""), .init(info.name ?? "", style: .bold),
      .init(services(info)), .init(data(info), style: .dim),
    ]
  }

  /// What `devices` shows.
  static let known = TableLayout(columns: [
    .init(title: "ADDRESS"), .init(title: "TYPE"), .init(title: "STATE"),
    .init(title: "RSSI", isNumeric: true), .init(title: "NAME", isFlexible: true),
  ])

  static func knownCells(_ info: PeripheralInfo) -> [TableLayout.Cell] {
    let state = [info.isConnected ? "connected" : nil, info.isPaired ? "paired" : nil].compactMap { $0 }
    return [
      .init(info.address.description), .init(info.addressType?.rawValue ?? ""),
      .init(state.joined(separator: ","), style: info.isConnected ? .green : nil),
      .init(info.rssi.map(String.init) ?? ""), .init(info.name ?? "", style: .bold),
    ]
  }

  static func services(_ info: PeripheralInfo) -> String {
    info.advertisement.serviceUUIDs.map(\.description).joined(separator: ",")
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
