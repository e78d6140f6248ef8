// SPDX-License-Identifier: MIT

extension RawAdvertisement {
  /// All its contents, for JSON and for people.
  public var fields: DecodedFields {
    let context = context
    return fields { data in AdvertisedFormats.decode(data, in: context) }
  }

  /// The same, with the meaning that `decode` finds for the data of a company or a service.
  package func fields<Failure: Error>(
    decodedBy decode: (AdvertisedData) throws(Failure) -> (any AdvertisedFormat)?
  ) throws(Failure) -> DecodedFields {
    var fields = DecodedFields()
    if let flags { fields.add("flags", .list(flags.names.map { .text($0) }), label: "flags") }
    if let localName { fields.add("name", .text(localName), label: "name") }
    if let broadcastName { fields.add("broadcast_name", .text(broadcastName), label: "broadcast") }
    if let txPower { fields.add("tx_power_dbm", .integer(txPower), label: "TX power", unit: "dBm") }
    if let appearance {
      fields.add(
        "appearance", .integer(Int(appearance.rawValue)), label: "appearance", shownAs: appearance.name)
    }
    if !serviceUUIDs.isEmpty {
      let names = serviceUUIDs.map { AssignedNumbers.name(ofService: $0) ?? $0.description }
      fields.add(
        "services", .list(serviceUUIDs.map { .text($0.longForm) }), label: "services",
        shownAs: names.joined(separator: ", "))
    }
    func add(_ key: String, _ list: [AdvertisedData]) throws(Failure) {
      var (values, texts): ([DecodedValue], [String]) = ([], [])
      for data in list {
        let format = try decode(data)
        values.append(.fields(Self.fields(data, format)))
        let name = if case .service(let service, _) = data { service.description } else { "company" }
        texts.append(format?.text ?? "\(data.ownerName ?? name): \(Hex.string(data.bytes))")
      }
      if !values.isEmpty { fields.add(key, .list(values), shownAs: texts.joined(separator: ", ")) }
    }
    try add("manufacturer_data", manufacturerData.map { .manufacturer($0.company, $0.data) })
    try add("service_data", serviceData.map { .service($0.service, $0.data) })
    let others = others
    if !others.isEmpty {
      func name(_ structure: AdvertisingStructure) -> String {
        structure.typeName ?? "type \(Hex.string([structure.type]))"
      }
      let texts = others.map { "\(name($0.structure)): \(Hex.string($0.structure.data))" }
      fields.add(
        "others", .list(others.map { .fields(Self.fields($0.structure)) }),
        shownAs: texts.joined(separator: ", "))
      for (structure, missing) in others where missing > 0 {
        let bytes = "\(missing) byte\(missing == 1 ? "" : "s")"
        fields.problems.append("\(bytes) missing in \(name(structure))")
      }
    }
    if let length = rest.first {
      fields.problems.append(
        length == 0 ? "bytes follow the end, a length of 0" : "the last part is longer than the rest")
    }
    fields.rest = rest
    return fields
  }

  private static func fields(_ data: AdvertisedData, _ format: (any AdvertisedFormat)?) -> DecodedFields {
    var fields = DecodedFields()
    switch data {
    case .manufacturer(let company, _):
      fields.add("company", .bytes(company.bigEndianBytes), label: "company")
      if let name = data.ownerName { fields.add("company_name", .text(name)) }
    case .service(let service, _):
      fields.add("uuid", .text(service.longForm), shownAs: service.description)
      if let name = data.ownerName { fields.add("name", .text(name)) }
    }
    fields.add("data", .bytes(data.bytes))
    if let format {
      fields.add("type", .text(format.type))
      fields.add("decoded", .fields(format.namedFields))
    }
    return fields
  }

  private static func fields(_ structure: AdvertisingStructure) -> DecodedFields {
    var fields = DecodedFields()
    fields.add("type", .bytes([structure.type]), label: "type")
    if let name = structure.typeName { fields.add("name", .text(name)) }
    fields.add("data", .bytes(structure.data))
    return fields
  }
}

extension AdvertisedData {
  /// The name of the company or the service; nil if none is assigned.
  fileprivate var ownerName: String? {
    switch self {
    case .manufacturer(let company, _): AssignedNumbers.companyName(company)
    case .service(let service, _): AssignedNumbers.name(ofService: service)
    }
  }
}
