// SPDX-License-Identifier: MIT

/// The instant readout of a Victron device, in manufacturer data of company 02E1: "Extra Manufacturer Data", Victron Energy.
public struct VictronReadout: AdvertisedFormat, Hashable {
  /// Victron's company identifier.
  public static let company: UInt16 = 0x02e1

  /// The product.
  public let product: UInt16
  /// The number of the kind of record, such as 1 for a solar charger.
  public let record: UInt8
  /// The counter of the packet.
  public let counter: UInt16
  /// True if the values are encrypted; if so, they are not decoded.
  public var isEncrypted: Bool { opened == nil }

  /// The first byte of the key.
  private let keyCheck: UInt8
  private let sealed: [UInt8]
  private let opened: [UInt8]?

  /// Decodes the bytes after the company identifier, from `10` on; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard reader.unsigned(1) == 0x10, reader.unsigned(1) != nil, let product = reader.unsigned(2),
      let record = reader.unsigned(1), let counter = reader.unsigned(2), let keyCheck = reader.unsigned(1)
    else { return nil }
    (self.product, self.record, self.counter) = (UInt16(product), UInt8(record), UInt16(counter))
    (self.keyCheck, sealed, opened) = (UInt8(keyCheck), reader.remainder(), nil)
  }

  /// Creates the readout with its values, decrypted.
  private init(_ readout: VictronReadout, opened: [UInt8]) {
    (product, record, counter) = (readout.product, readout.record, readout.counter)
    (keyCheck, sealed, self.opened) = (readout.keyCheck, [], opened)
  }

  /// The name of the format for programs.
  public var type: String { "victron" }
  /// The name of the format for people.
  public var label: String { "Victron" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    let layout = VictronRecord(record)
    fields.add("product_id", .bytes(product.bigEndianBytes), label: "product")
    fields.add("record", .text(layout?.name ?? "record \(record)"))
    fields.add("counter", .integer(Int(counter)), label: "counter")
    fields.add("encrypted", .bool(isEncrypted), label: "encrypted")
    guard let opened else { return fields }
    guard let layout else {
      fields.rest = opened
      fields.problems.append("record \(record) is not known")
      return fields
    }
    layout.decode(opened, into: &fields)
    fields.rejectImpossible()
    return fields
  }
}

extension VictronReadout: DecryptableFormat {
  /// True if the values are encrypted.
  public var needsKey: Bool { isEncrypted }

  /// Decrypts the record in counter mode, which has no tag: of the key, only the first byte is checked.
  func decrypted(
    from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> (format: VictronReadout, counter: PacketCounter) {
    let opened = try key.count(sealed, from: counter)
    guard key.bytes.first == keyCheck else { throw .wrongKey }
    return (VictronReadout(self, opened: opened), PacketCounter(UInt32(counter), bits: 16))
  }
}
