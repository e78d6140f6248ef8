// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON

/// Manufacturer data or service data of an advertisement, and its meaning.
package struct AdvertisementReading: Sendable {
  /// The outcome of decrypting it.
  package enum Decryption: String, Sendable {
    case done = "ok"
    case noKey = "no-key"
    case wrongKey = "wrong-key"
    /// The key has another length than the format needs, the data is malformed, or libcrypto is missing.
    case failed
  }

  package let data: AdvertisedData
  /// Nil if the format is unknown.
  package let format: (any AdvertisedFormat)?
  /// Nil if the data is not encrypted.
  package let decryption: Decryption?
  /// The place of its counter among those of the device; nil unless it was decrypted.
  package let freshness: ReplayFilter.Verdict?
  /// The counter of the packet; nil unless it was decrypted.
  package let counter: PacketCounter?

  package init(
    data: AdvertisedData, format: (any AdvertisedFormat)?, decryption: Decryption? = nil,
    freshness: ReplayFilter.Verdict? = nil, counter: PacketCounter? = nil
  ) {
    (self.data, self.format, self.decryption) = (data, format, decryption)
    (self.freshness, self.counter) = (freshness, counter)
  }

  /// Decodes data without a key; a profile may know the format, perhaps only that of some devices.
  package init(
    _ data: AdvertisedData, in context: AdvertisedContext, of device: ProfileSubject? = nil,
    _ vocabulary: Vocabulary = .known
  ) {
    self.init(data: data, format: vocabulary.profiles.decode(data, in: context, of: device))
  }

  /// The values, or the owner and the bytes, and what is wrong with them; texts from the air are not escaped.
  package var text: String {
    guard let format else { return data.text(nameOfService: Vocabulary.known.name(ofService:)) }
    return ([format.text] + [decryption?.remark, freshness?.remark].compactMap(\.self)).joined(
      separator: ", ")
  }

  /// The reason to doubt that the packet is a new one of the device; nil if nothing is wrong.
  package var warning: String? {
    freshness.flatMap { [.fresh, .repeated].contains($0) ? nil : $0.rawValue }
  }

  /// Writes the fields of the object `beacon`; nothing for an unknown format.
  package func write(to json: inout JSONWriter) {
    guard let format else { return }
    json.field("type", format.type)
    format.namedFields.write(fieldsTo: &json)
    json.field("decryption", decryption?.rawValue)
    // Devices repeat their packets.
    json.field("freshness", warning)
  }
}

extension AdvertisementReading.Decryption {
  package init(_ error: DecryptionError) {
    self =
      switch error {
      case .keyMissing: .noKey
      case .wrongKey: .wrongKey
      case .keyLength, .malformed, .unavailable: .failed
      }
  }

  fileprivate var remark: String? {
    switch self {
    case .done, .noKey: nil
    case .wrongKey: "wrong key"
    case .failed: "not decrypted"
    }
  }
}

extension ReplayFilter.Verdict {
  fileprivate var remark: String? {
    switch self {
    case .fresh, .repeated: nil
    case .replayed: "replayed"
    case .stale: "stale"
    case .restarted: "restarted"
    }
  }
}
