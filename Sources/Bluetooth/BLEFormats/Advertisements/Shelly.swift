// SPDX-License-Identifier: MIT

/// A device of Shelly, in manufacturer data of company 0BA9: shelly-api-docs.shelly.cloud/docs-ble/common.
///
/// Sensors and buttons of the series BLU send their values as ``BTHome``, besides this data.
public struct Shelly: AdvertisedFormat, Hashable {
  /// The company identifier of Shelly, formerly Allterco.
  public static let company: UInt16 = 0x0ba9

  /// The bits of its state; nil if they are not sent.
  public private(set) var flags: UInt16?
  /// The number of the model; nil if it is not sent.
  public private(set) var model: UInt16?
  /// Its address; nil if it is not sent.
  public private(set) var address: BluetoothAddress?
  /// The bytes from the first unknown block on.
  public private(set) var rest: [UInt8] = []

  /// Decodes the bytes after the company identifier, blocks that each start with their kind; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    blocks: while let kind = reader.rest.first {
      var ahead = reader
      _ = ahead.bytes(1)
      switch kind {
      case 0x01: flags = ahead.unsigned(2).map { UInt16($0) } ?? flags
      case 0x0a: address = ahead.bytes(6).flatMap { BluetoothAddress(bytes: $0.reversed()) } ?? address
      case 0x0b: model = ahead.unsigned(2).map { UInt16($0) } ?? model
      default: break blocks
      }
      // An incomplete block leaves only its kind taken.
      guard ahead.rest.count + 1 < reader.rest.count else { break }
      reader = ahead
    }
    rest = reader.remainder()
    if flags == nil, model == nil, address == nil { return nil }
  }

  /// The name of the model; nil if it is unknown.
  public var modelName: String? { model.flatMap { Self.names[$0] } }

  private static let names: [UInt16: String] = [
    1: "BLU Button1", 2: "BLU Door/Window", 3: "BLU H&T", 5: "BLU Motion", 6: "BLU Wall Switch 4",
    7: "BLU RC Button 4", 8: "BLU TRV",
  ]

  /// The name of the format for programs.
  public var type: String { "shelly" }
  /// The name of the format for people.
  public var label: String { "Shelly" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    if let model {
      fields.add("model_id", .bytes(model.bigEndianBytes), label: "model", shownAs: modelName)
      if let modelName {
        fields.add("model", .text(modelName))
        fields.fields[fields.fields.count - 1].isHidden = true
      }
    }
    if let flags {
      let names = flags.namesOfBits("discoverable", "authentication", "rpc-over-ble", "buzzer", "pairing")
      fields.add("flags", .list(names.map { .text($0) }), label: "flags")
    }
    if let address { fields.add("mac", .text(address.description)) }
    fields.rest = rest
    if let kind = rest.first {
      fields.problems.append(
        [0x01, 0x0a, 0x0b].contains(kind)
          ? "the last block is cut off" : "block 0x\(Hex.string([kind])) is not known")
    }
    return fields
  }
}
