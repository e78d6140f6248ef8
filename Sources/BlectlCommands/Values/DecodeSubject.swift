// SPDX-License-Identifier: MIT
internal import BLECentral

/// What the bytes are of that `decode` is asked about.
enum DecodeSubject: Sendable {
  /// A characteristic or a descriptor.
  case attribute(BluetoothUUID)
  /// The data of an advertisement or a scan response.
  case advertisement

  /// The subject that a text names: a UUID, a name, or `advert`.
  ///
  /// - Throws: an error that names the text, and names that resemble it.
  init(parsing text: some StringProtocol) throws(ArgumentError) {
    if text.lowercased() == "advert" {
      self = .advertisement
    } else {
      self = .attribute(try BluetoothUUID(parsing: text))
    }
  }

  /// The UUID of the attribute; nil for an advertisement.
  var uuid: BluetoothUUID? {
    if case .attribute(let uuid) = self { uuid } else { nil }
  }

  /// What some bytes mean, and the name of what they are of.
  ///
  /// - Throws: ``CommandError`` when nobody here knows.
  func decode(_ bytes: [UInt8]) throws(CommandError) -> DecodedRecord {
    guard let uuid else {
      let decoded = RawAdvertisement(bytes).fields
      return DecodedRecord(uuid: nil, name: "Advertisement", value: bytes, decoded: decoded)
    }
    guard let layout = ValueLayout(for: uuid) else {
      let name = AssignedNumbers.name(ofCharacteristic: uuid) ?? AssignedNumbers.name(ofDescriptor: uuid)
      throw CommandError(
        status: .notFound,
        message: "cannot decode \(uuid)\(name.map { " (\($0))" } ?? ""): no meaning of its values is known",
        hint: "man blectl-values")
    }
    return DecodedRecord(uuid: uuid, name: layout.name, value: bytes, decoded: layout.decode(bytes))
  }
}
