// SPDX-License-Identifier: MIT
internal import BLECentral

/// What `decode` decodes.
enum DecodeSubject: Sendable {
  /// A characteristic or a descriptor.
  case attribute(BluetoothUUID)
  /// The data of an advertisement or a scan response.
  case advertisement

  /// The subject that a text names: a UUID, a name, or `advert`.
  ///
  /// - Throws: an error that contains the text and similar names.
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
}
