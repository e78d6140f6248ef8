// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<[AdvertisementSpec.ManufacturerData]> {
  static let manufacturerData = Codec(
    "an object of data by company identifier, such as {\"0157\": \"0100c80f\"}",
    .dictionary(keys: "^[0-9A-Fa-f]{4}$", of: Codec<AdvertisedValue>.advertised.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ManufacturerData] = []
    guard let members = node.members else { throw node.mismatch("an object of data by company identifier") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard member.key.utf8.count == 4, let digits = Hex.bytes(member.key) else {
          throw member.mismatch("a company identifier of four hexadecimal digits such as \"0157\"")
        }
        let company = UInt16(digits[0]) << 8 | UInt16(digits[1])
        if entries.contains(where: { $0.company == company }) {
          throw member.mismatch("each company identifier once")
        }
        entries.append(.init(company: company, try Codec<AdvertisedValue>.advertised.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries {
        json.key(entry.company.fourDigits)
        Codec<AdvertisedValue>.advertised.write(entry.value, &json)
      }
    }
  }
}

extension Codec<[AdvertisementSpec.ServiceData]> {
  static let serviceData = Codec(
    "an object of data by UUID, such as {\"feaa\": \"10ee03\"}",
    .dictionary(keys: Codec<BluetoothUUID>.uuidPattern, of: Codec<AdvertisedValue>.advertised.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ServiceData] = []
    guard let members = node.members else { throw node.mismatch("an object of data by UUID") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard let uuid = BluetoothUUID(member.key) else {
          throw member.mismatch("a UUID such as \"feaa\"")
        }
        if entries.contains(where: { $0.service == uuid }) { throw member.mismatch("each UUID once") }
        entries.append(.init(service: uuid, try Codec<AdvertisedValue>.advertised.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries {
        json.key(entry.service.description)
        Codec<AdvertisedValue>.advertised.write(entry.value, &json)
      }
    }
  }
}

extension JSONMember {
  fileprivate func mismatch(_ expected: String) -> JSONError {
    JSONError(place, value.pointer, "expected \(expected), found \(JSONText.quoted(key))")
  }
}

extension Codec<AdvertisedValue> {
  private static let sequence = OneOf<AdvertisedChanges>.Variant(
    ObjectCodec<[TimedData]>(
      "advertise_sequence", "data that changes", defaults: [],
      [
        .required(
          "sequence", \.self,
          ObjectCodec<TimedData>.timedData.codec.list("an array of at least one value", atLeast: 1),
          "These values, each for its time, repeated forever.")
      ])
  ) {
    .sequence($0)
  } take: {
    if case .sequence(let values) = $0 { values } else { nil }
  }

  private static let replay = OneOf<AdvertisedChanges>.Variant(
    ObjectCodec<AdvertisedRecording>(
      "advertise_replay", "data that changes", defaults: AdvertisedRecording(path: ""),
      [
        .required(
          "replay", \.path, .path,
          "Replay the data in this log, written by blectl scan --duplicates --json, or by monitor --scan."),
        Field(
          "address", \.address, .address,
          "The device in the log. Default: the address of this peripheral."),
        Field("every", \.interval, .interval, "How long each value is advertised. Default: as in the log."),
        Field("repeats", \.repeats, .flag, "Whether to start again at the end. Default: false."),
      ])
  ) {
    .replay($0)
  } take: {
    if case .replay(let recording) = $0 { recording } else { nil }
  }

  private static let changing = OneOf<AdvertisedChanges>(
    GeneratorKind.all.map(\.advertise) + [sequence, replay]
  ).codec

  static let advertised = Codec(
    "\(Codec<[UInt8]>.data.expected), or an object",
    .any([Codec<[UInt8]>.data.schema, changing.schema])
  ) { node throws(JSONError) in
    guard node.members != nil else { return .constant(try Codec<[UInt8]>.data.read(node)) }
    let changes = try changing.read(node)
    if case .generate(let generator, _) = changes { try generator.checkAdvertised(at: node) }
    return .changing(changes)
  } write: { value, json in
    switch value {
    case .constant(let bytes): Codec<[UInt8]>.data.write(bytes, &json)
    case .changing(let changes): changing.write(changes, &json)
    }
  }
}

extension ObjectCodec<TimedData> {
  fileprivate static let timedData = ObjectCodec(
    "timed_data", "data for some time", defaults: TimedData([], for: .seconds(1)),
    [
      .required("value", \.bytes, .data, "The data."),
      Field("for", \.duration, .interval, "How long it is advertised. Default: \"1s\"."),
    ])
}

extension ValueGenerator {
  /// Refuses values that are too long for an advertisement.
  fileprivate func checkAdvertised(at node: JSONNode) throws(JSONError) {
    var sequence = ValueSequence(self)
    var longest = sequence.next()?.count ?? 0
    switch self {
    case .list(let values): longest = values.map(\.count).max() ?? 0
    case .layout(let rule):
      for _ in 1..<rule.longestList { longest = max(longest, sequence.next()?.count ?? 0) }
    case .numbers, .clock: break
    }
    guard longest <= 254 else {
      throw JSONError(node, "expected data of at most 254 bytes, found \(longest)")
    }
  }
}
