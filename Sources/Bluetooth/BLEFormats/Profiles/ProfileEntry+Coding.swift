// SPDX-License-Identifier: MIT
package import JSON

extension ObjectCodec<ProfileDevice> {
  static let device = ObjectCodec(
    "device", "a device", defaults: ProfileDevice(name: ""),
    [
      .required("name", \.name, .deviceName, "The name."),
      Field("address", \.address, Codec.address.optional, "Its address, if that stays the same."),
      Field(
        "identity", \.identity, .text("the name of an identity key", atMost: 64),
        "The name of the identity key that resolves its private addresses."),
      Field("notes", \.notes, .text("a text", atMost: 1000), "Notes for people. Default: none."),
    ]
  ) { device, node throws(JSONError) in
    if device.address == nil, device.identity == nil {
      throw JSONError(node, "expected the key \"address\" or \"identity\", found neither")
    }
  }
}

extension ObjectCodec<ProfileDocument.ServiceEntry> {
  static let service = ObjectCodec(
    "service", "a service", defaults: ProfileDocument.ServiceEntry(),
    [
      .required("uuid", \.uuid, .plainUUID, "Its UUID."),
      .required("name", \.name, .attributeName, "The name."),
      Field(
        "replaces", \.isReplacement, .flag,
        "Whether it replaces the standard name of this UUID. Default: false."),
    ]
  ) { entry, node throws(JSONError) in
    try StandardCheck(kind: .service, node: node).check(entry.uuid, entry.name, entry.isReplacement)
  }
}

extension ObjectCodec<ProfileDocument.AttributeEntry> {
  static let characteristic = attribute("characteristic", "a characteristic", .characteristic)
  static let descriptor = attribute("descriptor", "a descriptor", .descriptor)

  private static func attribute(_ word: String, _ about: String, _ kind: AssignedNumber.Kind) -> Self {
    ObjectCodec(
      word, about, defaults: ProfileDocument.AttributeEntry(),
      [
        .required("uuid", \.uuid, .plainUUID, "Its UUID."),
        .required("name", \.name, .attributeName, "The name."),
        Field("layout", \.layout, Codec.layout.optional, "The layout of its values. Default: none."),
        Field(
          "service", \.service, Codec.plainUUID.optional,
          "The UUID of the service in which it has this meaning. Default: any."),
        Field(
          "device", \.device, .text("an address, a name or a pattern of names", atMost: 248),
          "The devices on which it has this meaning: an address, a name, or a pattern such as \"Sensor-*\". Default: all."
        ),
        Field(
          "replaces", \.isReplacement, .flag,
          "Whether it replaces the standard name and layout of this UUID. Default: false."),
      ]
    ) { entry, node throws(JSONError) in
      try StandardCheck(kind: kind, node: node).check(entry.uuid, entry.name, entry.isReplacement)
    }
  }
}

extension ObjectCodec<ProfileDocument.AdvertisementEntry> {
  static let advertisement = ObjectCodec(
    "advertisement", "an advertisement", defaults: ProfileDocument.AdvertisementEntry(),
    [
      .required("name", \.name, .attributeName, "The name of the format."),
      .required("layout", \.layout, Codec.layout.optional, "The layout of the bytes after the prefix."),
      Field(
        "company", \.company, Codec.company.optional, "The identifier of the company, for manufacturer data."),
      Field("service", \.service, Codec.plainUUID.optional, "The UUID of the service, for service data."),
      Field("prefix", \.prefix, .prefix, "The bytes with which the data begins. Default: none."),
      Field(
        "type", \.type, Codec.typeName.optional,
        "The name of the format for programs. Default: made from the name, such as \"our-sensor\"."),
      Field(
        "device", \.device, .text("an address, a name or a pattern of names", atMost: 248),
        "The devices that send it: an address, a name, or a pattern such as \"Sensor-*\". Default: all."),
    ]
  ) { entry, node throws(JSONError) in
    if (entry.company == nil) == (entry.service == nil) {
      throw JSONError(
        node,
        "expected the key \"company\" or \"service\", found \(entry.company == nil ? "neither" : "both")")
    }
    let type = entry.type ?? AssignedNumbers.hyphenated(entry.name)
    guard !takenTypes.contains(type) else {
      throw JSONError(
        node.at(entry.type == nil ? "name" : "type"),
        "expected a type of your own, found \(JSONText.quoted(type)), which has a meaning in records and topics"
      )
    }
  }

  /// The types of published formats, and the words that topics of MQTT have in the place of a type.
  private static let takenTypes = Set(
    AdvertisedFormats.types + ["absence", "alarm", "event", "get", "result", "set", "state", "status"])
}

/// Refuses to replace standard names without saying so.
private struct StandardCheck {
  let kind: AssignedNumber.Kind
  let node: JSONNode

  func check(_ uuid: BluetoothUUID, _ name: String, _ isReplacement: Bool) throws(JSONError) {
    var mistakes = JSONMistakes()
    let standard = kind.name(of: uuid)
    if let standard, standard.origin == .sig, !isReplacement {
      mistakes.note(
        JSONError(
          node.at("uuid"),
          "expected \"replaces\": true with it, since \(uuid) is the standard \(kind.rawValue) \(standard.name)"
        ))
    }
    if let other = AssignedNumbers.named(name, kinds: [kind]).first(where: { $0.origin == .sig }),
      other.uuid != uuid
    {
      mistakes.note(
        JSONError(
          node.at("name"),
          "expected a name of your own, found \(JSONText.quoted(name)), the standard name of "
            + "\(other.uuid?.description ?? "another")"))
    }
    try mistakes.rethrow()
  }
}

extension Codec<BluetoothUUID> {
  static let plainUUID = word(
    "a UUID such as \"fff1\" or \"b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa\"", pattern: uuidPattern
  ) { text in
    BluetoothUUID(text)
  } text: {
    $0.description
  }
}

extension Codec<BluetoothAddress> {
  package static let address = word(
    "an address such as \"C8:0F:10:01:02:03\"",
    pattern: "^[0-9A-Fa-f]{2}((:[0-9A-Fa-f]{2}){5}|(-[0-9A-Fa-f]{2}){5})$"
  ) { text in
    BluetoothAddress(text)
  } text: {
    $0.description
  }
}

extension Codec<UInt16> {
  static let company = word(
    "a company identifier of four hexadecimal digits such as \"0157\"", pattern: "^[0-9A-Fa-f]{4}$"
  ) { text in
    text.utf8.count == 4 ? Hex.bytes(text).map { UInt16($0[0]) << 8 | UInt16($0[1]) } : nil
  } text: {
    $0.fourDigits
  }
}

extension Codec<[UInt8]> {
  static let prefix = word("at most 31 bytes in hexadecimal", pattern: "^([0-9A-Fa-f]{2}[ :]?)*$") { text in
    (try? HexValue.bytes(text)).flatMap { $0.count <= 31 ? $0 : nil }
  } text: {
    Hex.string($0)
  }
}

extension Codec<String> {
  /// A name that is not a UUID, a handle or a path on the command line.
  static let attributeName = word(
    "a name of at most 64 bytes that is no UUID, begins with no \"@\" and has no \"/\""
  ) { text in
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" }
    guard (1...64).contains(text.utf8.count), isPlain, !text.hasPrefix("@"), BluetoothUUID(text) == nil,
      !NameKey(text).bytes.isEmpty
    else { return nil }
    return text
  } text: {
    $0
  }

  /// A name that is not an address.
  static let deviceName = word("a name of at most 248 bytes that is no address") { text in
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    return (1...248).contains(text.utf8.count) && isPlain && BluetoothAddress(text) == nil ? text : nil
  } text: {
    $0
  }

  static let typeName = word("a word such as \"our-sensor\"", pattern: "^[a-z0-9][a-z0-9_-]{0,63}$") { text in
    let isWord = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    let startsWell = text.utf8.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") } ?? false
    return isWord && startsWell && text.utf8.count <= 64 ? text : nil
  } text: {
    $0
  }
}
