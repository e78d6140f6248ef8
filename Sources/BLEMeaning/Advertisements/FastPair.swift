// SPDX-License-Identifier: MIT

/// A device for Google's Fast Pair, in service data of FE2C: "Fast Pair Service", Google.
public enum FastPair: AdvertisedFormat, Hashable {
  /// It can be paired now, and is of this model: 24 bits.
  case discoverable(model: Int)
  /// It shows itself to those whom it knows: a filter of their keys, and more.
  case known([UInt8])

  /// The device in some data, or nil when there are none.
  ///
  /// - Parameter data: the bytes behind the UUID: three are a model.
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
