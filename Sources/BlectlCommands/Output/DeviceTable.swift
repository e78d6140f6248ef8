// SPDX-License-Identifier: MIT
internal import BLECentral

/// Devices as rows: the columns of tables on a terminal, and of lines in a pipe.
enum DeviceTable {
  /// What a scan shows on a terminal.
  ///
  /// - Parameters:
  ///   - entries: the devices.
  ///   - second: the second of the scan that it is, for the pictures of their signals; nil for none.
  ///   - picture: draws a signal.
  ///   - path: what distances are guessed from.
  /// - Returns: the columns, and a row for each device.
  static func scanned(
    _ entries: [ScanBoard.Entry], at second: Int?, _ picture: SignalPicture, _ path: PathLoss
  ) -> (layout: TableLayout, rows: [[TableLayout.Cell]]) {
    let layout = TableLayout(
      columns: [.init(title: "ADDRESS"), .init(title: "RSSI", isNumeric: true)]
        + (second == nil ? [] : signalColumns)
        + [
          .init(title: "DISTANCE", isNumeric: true, isDispensable: true),
          .init(title: "NAME", isFlexible: true, leastWidth: 13),
          .init(title: "SERVICES", isFlexible: true, leastWidth: 12, isDispensable: true),
          .init(title: "DATA", isFlexible: true, leastWidth: 12, isDispensable: true),
        ])
    let rows = entries.map { entry -> [TableLayout.Cell] in
      let info = entry.info
      let isHeard = second.map { entry.isHeard(at: $0) } ?? true
      return [
        .init(info.address.description, style: info.isConnected ? .green : isHeard ? nil : .dim),
        .init(info.rssi.map(String.init) ?? ""),
      ] + (second.map { signalCells(entry, at: $0, picture) } ?? []) + [
        .init(distance(info, path), style: .dim), .init(info.name ?? "", style: .bold),
        .init(serviceNames(info)), .init(meaning(info), style: .dim),
      ]
    }
    return (layout, rows)
  }

  private static let signalColumns: [TableLayout.Column] = [
    .init(title: "SIGNAL", isDispensable: true), .init(title: "HISTORY", isDispensable: true),
  ]

  private static func signalCells(
    _ entry: ScanBoard.Entry, at second: Int, _ picture: SignalPicture
  ) -> [TableLayout.Cell] {
    let color = SignalPicture.color(entry.info.rssi)
    return [
      .init(DisplayWidth.padded(picture.bar(entry.info.rssi), to: SignalPicture.barWidth), style: color),
      .init(picture.sparkline(entry.history.strengths(at: second)), style: color),
    ]
  }

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

  /// The services by name, as far as there is room; those without one, or with their buyer's, by UUID.
  private static func serviceNames(_ info: PeripheralInfo) -> String {
    let names = info.advertisement.serviceUUIDs.map { uuid in
      AssignedNumbers.assigned(uuid).first { $0.kind == .service }?.name ?? uuid.description
    }
    return DisplayWidth.truncated(names.joined(separator: ", "), to: 30)
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
    let companies = info.advertisement.manufacturerData.sorted { $0.key < $1.key }.map { company, bytes in
      AdvertisedFormats.decode(company: company, data: bytes)?.text
        ?? "\(AssignedNumbers.companyName(company) ?? company.fourDigits): \(Hex.string(bytes))"
    }
    let services = info.advertisement.serviceData.sorted { $0.key < $1.key }.map { service, bytes in
      AdvertisedFormats.decode(service: service, data: bytes)?.text
        ?? "\(AssignedNumbers.name(ofService: service) ?? service.description): \(Hex.string(bytes))"
    }
    return (companies + services).joined(separator: " · ")
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
