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
    if !manufacturerData.isEmpty {
      var (values, texts): ([DecodedValue], [String]) = ([], [])
      for (company, data) in manufacturerData {
        let format = try decode(.manufacturer(company, data))
        values.append(.fields(Self.fields(company: company, data, format)))
        texts.append(
          format?.text ?? "\(AssignedNumbers.companyName(company) ?? "company"): \(Hex.string(data))")
      }
      fields.add("manufacturer_data", .list(values), shownAs: texts.joined(separator: ", "))
    }
    if !serviceData.isEmpty {
      var (values, texts): ([DecodedValue], [String]) = ([], [])
      for (service, data) in serviceData {
        let format = try decode(.service(service, data))
        values.append(.fields(Self.fields(service: service, data, format)))
        texts.append(
          format?.text
            ?? "\(AssignedNumbers.name(ofService: service) ?? service.description): \(Hex.string(data))")
      }
      fields.add("service_data", .list(values), shownAs: texts.joined(separator: ", "))
    }
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

  private static func fields(
    company: UInt16, _ data: [UInt8], _ format: (any AdvertisedFormat)?
  ) -> DecodedFields {
    var fields = DecodedFields()
    fields.add("company", .bytes(company.bigEndianBytes), label: "company")
    if let name = AssignedNumbers.companyName(company) { fields.add("company_name", .text(name)) }
    add(format, data, to: &fields)
    return fields
  }

  private static func fields(
    service: BluetoothUUID, _ data: [UInt8], _ format: (any AdvertisedFormat)?
  ) -> DecodedFields {
    var fields = DecodedFields()
    fields.add("uuid", .text(service.longForm), shownAs: service.description)
    if let name = AssignedNumbers.name(ofService: service) { fields.add("name", .text(name)) }
    add(format, data, to: &fields)
    return fields
  }

  private static func add(
    _ format: (any AdvertisedFormat)?, _ data: [UInt8], to fields: inout DecodedFields
  ) {
    fields.add("data", .bytes(data))
    if let format {
      fields.add("type", .text(format.type))
      fields.add("decoded", .fields(format.namedFields))
    }
  }

  private static func fields(_ structure: AdvertisingStructure) -> DecodedFields {
    var fields = DecodedFields()
    fields.add("type", .bytes([structure.type]), label: "type")
    if let name = structure.typeName { fields.add("name", .text(name)) }
    fields.add("data", .bytes(structure.data))
    return fields
  }
}
