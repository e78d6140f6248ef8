// SPDX-License-Identifier: MIT
package import BLECentral
package import BLEFormats
package import JSON
package import TerminalOutput

/// A device as a list of facts, for `info`.
package enum DeviceFacts {
  package static func list(
    _ info: PeripheralInfo, mtu: Int? = nil, _ decoder: AdvertisementDecoder
  ) -> [(name: String, value: String)] {
    let advertisement = info.advertisement
    let meaning = DeviceText.meaning(info, decoder)
    let facts: [(String, String?)] = [
      ("address", info.address.description),
      ("address type", info.addressType?.rawValue),
      ("address kind", info.randomKind?.rawValue),
      (
        "identity",
        info.identity.map { identity in
          identity.name + (identity.address.map { " (\($0))" } ?? "")
        }
      ),
      ("adapter", info.adapter),
      ("name", info.name),
      ("rssi", info.rssi.map { "\($0) dBm" }),
      ("tx power", advertisement.txPower.map { "\($0) dBm" }),
      ("distance", distance(info)),
      ("connected", yes(info.isConnected)),
      ("mtu", mtu.map { "\($0) bytes" }),
      ("paired", yes(info.isPaired)),
      ("bonded", yes(info.isBonded)),
      ("trusted", yes(info.isTrusted)),
      ("blocked", yes(info.isBlocked)),
      ("services resolved", yes(info.isServicesResolved)),
      ("battery level", info.batteryLevel.map { "\($0) %" }),
      ("services", advertisement.serviceUUIDs.isEmpty ? nil : services(info)),
      ("data", DeviceText.data(info).isEmpty ? nil : DeviceText.data(info)),
      ("says", meaning.isEmpty ? nil : meaning),
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

  /// The facts as safe lines of a terminal, which are wrapped if it has a `width`; `style` draws the names.
  package static func lines(
    _ info: PeripheralInfo, mtu: Int? = nil, _ decoder: AdvertisementDecoder, width: Int?, style: Style
  ) -> [String] {
    FactLines.lines(list(info, mtu: mtu, decoder), width: width, style: style)
  }

  /// The estimated distance, and its basis.
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
      Vocabulary.known.name(ofService: uuid).map { "\(uuid) \($0)" } ?? uuid.description
    }.joined(separator: ", ")
  }

  private static func appearance(_ value: UInt16) -> String {
    value.fourDigits + (Appearance(rawValue: value).name.map { " " + $0 } ?? "")
  }

  private static func yes(_ flag: Bool) -> String { flag ? "yes" : "no" }
}

/// The properties of a device, as fields of lines and tables.
package enum DeviceText {
  /// Printed by a scan in a pipe after address and RSSI: name, UUIDs of services, data, and its meaning.
  static func describingFields(_ info: PeripheralInfo, _ decoder: AdvertisementDecoder) -> [String] {
    [info.name ?? "", services(info), data(info), meaning(info, decoder)]
  }

  /// The columns of `devices`.
  package static let known = TableLayout(columns: [
    .init(title: "ADDRESS"), .init(title: "TYPE"), .init(title: "STATE"),
    .init(title: "RSSI", isNumeric: true), .init(title: "NAME", isFlexible: true),
  ])

  package static func knownCells(_ info: PeripheralInfo) -> [TableLayout.Cell] {
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

  package static func services(_ info: PeripheralInfo) -> String {
    info.advertisement.serviceUUIDs.map(\.description).joined(separator: ",")
  }

  /// The estimated distance: `1.8 m`.
  package static func distance(_ info: PeripheralInfo, _ path: PathLoss) -> String {
    guard let metres = info.distance(path)?.metres else { return "" }
    guard metres < 9.95 else { return "\(Int(min(metres, 99_999).rounded())) m" }
    let tenths = Int((metres * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) m"
  }

  /// Decodes manufacturer and service data if possible; otherwise names their owners and the bytes.
  package static func meaning(_ info: PeripheralInfo, _ decoder: AdvertisementDecoder) -> String {
    decoder.readings(of: info).map(\.text).joined(separator: " · ")
  }

  /// Manufacturer data by company, then service data by service: `0157=0100… 181a=…`.
  package static func data(_ info: PeripheralInfo) -> String {
    let companies = info.advertisement.manufacturerData.sorted { $0.key < $1.key }
      .map { "\($0.key.fourDigits)=\(Hex.string($0.value))" }
    let services = info.advertisement.serviceData.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(Hex.string($0.value))" }
    return (companies + services).joined(separator: " ")
  }
}

extension JSONWriter {
  /// Writes the services and the data of an advertisement, and the meaning of the data without a key.
  package mutating func advertised(_ context: AdvertisedContext) {
    advertised(context, context.data.map { AdvertisementReading($0, in: context) })
  }

  /// Writes the services and the data of an advertisement, and the meaning of the data.
  package mutating func advertised(_ context: AdvertisedContext, _ readings: [AdvertisementReading]) {
    if !context.services.isEmpty { field("services", context.services) }
    var companies: [(company: UInt16, bytes: [UInt8])] = []
    var owners: [(service: BluetoothUUID, bytes: [UInt8])] = []
    for data in context.data {
      switch data {
      case .manufacturer(let company, let bytes): companies.append((company, bytes))
      case .service(let service, let bytes): owners.append((service, bytes))
      }
    }
    if !companies.isEmpty {
      object("manufacturer_data") { json in
        for (company, bytes) in companies { json.field(company.fourDigits, hex: bytes) }
      }
    }
    if !owners.isEmpty {
      object("service_data") { json in
        for (service, bytes) in owners { json.field(service.longForm, hex: bytes) }
      }
    }
    // Of several companies with data, the one with the lowest identifier.
    field("company", companies.first.flatMap { AssignedNumbers.companyName($0.company) })
    let beacons = readings.filter { $0.format != nil }
    if let first = beacons.first { object("beacon") { first.write(to: &$0) } }
    if beacons.count > 1 {
      array("more_beacons") { json in
        for beacon in beacons.dropFirst() { json.object { beacon.write(to: &$0) } }
      }
    }
  }
}
