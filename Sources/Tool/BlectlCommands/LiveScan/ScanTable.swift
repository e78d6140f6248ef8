// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

/// The devices of a scan as a table on a terminal.
enum ScanTable {
  /// The prefix of a row whose device can be selected.
  struct Mark: Sendable, Hashable {
    var isSelected = false
    var isMarked = false

    var text: String { (isSelected ? ">" : " ") + (isMarked ? "*" : " ") }
  }

  /// Makes the columns and a row for each device; without the current `second`, it draws no signals.
  static func table(
    _ entries: [ScanBoard.Entry], marks: [Mark?] = [], at second: Int?, _ picture: SignalPicture,
    _ path: PathLoss, _ decoder: AdvertisementDecoder
  ) -> (layout: TableLayout, rows: [[TableLayout.Cell]]) {
    let hasHosts = entries.contains { $0.hosts.best != nil }
    var columns: [TableLayout.Column] = [
      .init(title: marks.contains { $0 != nil } ? "  ADDRESS" : "ADDRESS"),
      .init(title: "RSSI", isNumeric: true),
    ]
    if hasHosts { columns.append(.init(title: "HOST", isDispensable: true)) }
    if second != nil { columns += signalColumns }
    columns += [
      .init(title: "DISTANCE", isNumeric: true, isDispensable: true),
      .init(title: "NAME", isFlexible: true, leastWidth: 13),
      .init(title: "SERVICES", isFlexible: true, leastWidth: 12, isDispensable: true),
      .init(title: "DATA", isFlexible: true, leastWidth: 12, isDispensable: true),
    ]
    let rows = entries.enumerated().map { index, entry in
      let info = entry.info
      let mark = index < marks.count ? marks[index] : nil
      let isHeard = second.map { entry.isHeard(at: $0) } ?? true
      var cells: [TableLayout.Cell] = [
        .init(
          (mark?.text ?? "") + info.address.description,
          style: info.isConnected ? .green : mark?.isSelected == true ? .bold : isHeard ? nil : .dim),
        .init(info.rssi.map(String.init) ?? ""),
      ]
      if hasHosts { cells.append(.init(entry.hosts.best ?? "")) }
      if let second { cells += signalCells(entry, at: second, picture) }
      cells += [
        .init(DeviceText.distance(info, path), style: .dim), .init(info.name ?? "", style: .bold),
        .init(serviceNames(info)), .init(DeviceText.meaning(info, decoder), style: .dim),
      ]
      return cells
    }
    return (TableLayout(columns: columns), rows)
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

  /// The names of as many services as fit; those without a name, or only with that of their buyer, by UUID.
  private static func serviceNames(_ info: PeripheralInfo) -> String {
    let names = info.advertisement.serviceUUIDs.map { uuid in
      Vocabulary.known.ownName(ofService: uuid) ?? uuid.description
    }
    return DisplayWidth.truncated(names.joined(separator: ", "), to: 30)
  }
}
