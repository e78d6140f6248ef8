// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON
internal import ValueStreams

extension JSONWriter {
  /// The services and the data of an advertisement, and what the data mean.
  mutating func advertised(_ services: [BluetoothUUID], _ data: [AdvertisedData]) {
    if !services.isEmpty { field("services", services) }
    var companies: [(company: UInt16, bytes: [UInt8])] = []
    var owners: [(service: BluetoothUUID, bytes: [UInt8])] = []
    for data in data {
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
    // The company whose data it has, the one with the lowest identifier.
    field("company", companies.first.flatMap { AssignedNumbers.companyName($0.company) })
    let formats = data.compactMap { AdvertisedFormats.decode($0) }
    if let first = formats.first { object("beacon") { first.write(to: &$0) } }
    if formats.count > 1 {
      array("more_beacons") { json in
        for format in formats.dropFirst() { json.object { format.write(to: &$0) } }
      }
    }
  }
}

extension AdvertisedFormat {
  /// The fields of the object `beacon`.
  fileprivate func write(to json: inout JSONWriter) {
    json.field("type", type)
    fields.write(fieldsTo: &json)
  }
}
