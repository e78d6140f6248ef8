// SPDX-License-Identifier: MIT
package import BLECentral
internal import TerminalOutput

/// The output of a scan to a pipe: a line, or an object, for each event.
///
/// Most advertisements of a device differ only in their strength, so the rest of the line is kept.
package struct ScanLines {
  package let isJSON: Bool
  package let pathLoss: PathLoss
  /// The host that heard the devices, if there are several.
  package let host: String?
  private let decoder: AdvertisementDecoder
  private var tails: [Peripheral: Tail] = [:]

  /// The end of a line: name, services, data, and the meaning of the data.
  private struct Tail {
    var advertisement: AdvertisementData
    var bytes: [UInt8]
  }

  package init(
    isJSON: Bool, pathLoss: PathLoss, host: String? = nil, decoder: AdvertisementDecoder
  ) {
    self.decoder = decoder
    self.host = host
    self.isJSON = isJSON
    self.pathLoss = pathLoss
  }

  /// The line of text of an event; nil if its record is printed.
  package mutating func line(of event: ScanEvent) -> [UInt8]? {
    if isJSON { return nil }
    var line: [UInt8] = []
    append(event, to: &line)
    return line
  }

  private func record(_ event: ScanEvent) -> DeviceRecord {
    DeviceRecord(
      event: kind(event), time: event.time, info: event.info, host: host, pathLoss: pathLoss,
      decoder: decoder)
  }

  package func logged(_ event: ScanEvent) -> LoggedRecord {
    LoggedRecord(record(event), about: .device(event.info.lastingAddress))
  }

  private func kind(_ event: ScanEvent) -> DeviceRecord.Event {
    switch event.kind {
    case .found: .found
    case .changed, .advertised: .changed
    case .lost: .lost
    }
  }

  private mutating func append(_ event: ScanEvent, to lines: inout [UInt8]) {
    let info = event.info
    let tab = UInt8(ascii: "\t")
    lines.append(contentsOf: kind(event).rawValue.utf8)
    lines.append(tab)
    lines.append(contentsOf: info.address.description.utf8)
    lines.append(tab)
    if let rssi = info.rssi { lines.append(contentsOf: String(rssi).utf8) }
    lines.append(tab)
    if let tail = tails[info.peripheral], tail.advertisement == info.advertisement {
      lines.append(contentsOf: tail.bytes)
    } else {
      let fields = DeviceText.describingFields(info, decoder) + (host.map { [$0] } ?? [])
      let bytes = Array((TabSeparated.line(fields) + "\n").utf8)
      tails[info.peripheral] = Tail(advertisement: info.advertisement, bytes: bytes)
      lines.append(contentsOf: bytes)
    }
    if event.kind == .lost { tails[info.peripheral] = nil }
  }
}
