// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<BeaconSpec> {
  static let beacon = OneOf<BeaconSpec>(BeaconFormat.allCases.map(variant)).codec

  private static func variant(_ format: BeaconFormat) -> OneOf<BeaconSpec>.Variant {
    OneOf<BeaconSpec>.Variant(ObjectCodec<BeaconSpec>.beacon(format)) {
      $0
    } take: {
      $0.format == format ? $0 : nil
    }
  }
}

extension ObjectCodec<BeaconSpec> {
  fileprivate static func beacon(_ format: BeaconFormat) -> ObjectCodec {
    var keys: [Field<BeaconSpec>] = [
      .required(
        format.rawValue, \.values, .fields(.source),
        "Its values, by the names that 'scan --json' gives them, with or without their units."),
      Field("every", \.interval, .interval, "How long the values stay the same. Default: \"1s\"."),
    ]
    if format.isEncryptable {
      keys += [
        Field("key", \.key, .bindKey, "The key that encrypts the data. Default: none."),
        Field(
          "packet_counter", \.firstCounter, .integer(0...UInt32.max),
          "The counter of the first encrypted packet. Default: 0."),
      ]
    }
    return ObjectCodec("beacon_\(format.rawValue)", "a beacon", defaults: BeaconSpec(format, []), keys)
  }
}

extension Codec<BindKey> {
  /// Its errors do not contain the text.
  fileprivate static let bindKey = Codec(
    "a key of 32 hexadecimal digits", .text(pattern: "^([0-9A-Fa-f]{2}[: ]?){16}$", examples: [])
  ) { node throws(JSONError) in
    guard let key = node.string.flatMap({ try? BindKey(parsing: $0) }), key.hasSixteenBytes else {
      throw JSONError(node, "expected a key of 32 hexadecimal digits")
    }
    return key
  } write: { key, json in
    json.value(key.secretText)
  }
}

extension BindKey {
  fileprivate var hasSixteenBytes: Bool { secretText.utf8.count == 32 }
}
