// SPDX-License-Identifier: MIT

/// A device with Google Fast Pair, in service data of FE2C: "Fast Pair Service", Google.
public enum FastPair: AdvertisedFormat, Hashable {
  /// It is in pairing mode, with a model identifier of 24 bits.
  case discoverable(model: Int)
  /// It is visible to known accounts, with a filter of their keys and more.
  case known([UInt8])

  /// Decodes the bytes after the UUID, of which three are a model; returns nil if there are none.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    if data.count == 3, let model = reader.unsigned(3, isBigEndian: true) {
      self = .discoverable(model: model)
    } else if data.isEmpty {
      return nil
    } else {
      self = .known(data)
    }
  }

  /// The name of the format for programs.
  public var type: String { "fast-pair" }
  /// The name of the format for people.
  public var label: String { "Fast Pair" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    switch self {
    case .discoverable(let model):
      let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: model >> $0) }
      fields.add("model_id", .bytes(bytes), label: "model")
    case .known(let bytes): fields.add("account_data", .bytes(bytes), label: "account data")
    }
    return fields
  }
}
