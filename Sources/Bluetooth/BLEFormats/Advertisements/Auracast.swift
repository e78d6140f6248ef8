// SPDX-License-Identifier: MIT

/// A broadcast of LE Audio, in service data of 1852 and 1856: Basic Audio Profile 1.0.2 3.7.2.1, and Public Broadcast Profile
/// 1.0.2 4.2.
///
/// The name of the broadcast is in a structure of its own: ``RawAdvertisement/broadcastName``.
public enum Auracast: AdvertisedFormat, Hashable {
  /// A broadcast with its identifier of 24 bits.
  case announcement(broadcast: Int)
  /// A public broadcast (Auracast): bits of its features, and metadata.
  case publicAnnouncement(features: UInt8, metadata: [UInt8])

  /// Decodes the bytes after the UUID; returns nil for others.
  public init?(service: BluetoothUUID, data: [UInt8]) {
    var reader = ByteReader(data)
    switch service.shortForm {
    case 0x1852:
      guard let broadcast = reader.unsigned(3) else { return nil }
      self = .announcement(broadcast: broadcast)
    case 0x1856:
      guard let features = reader.unsigned(1), let length = reader.unsigned(1),
        let metadata = reader.bytes(length)
      else { return nil }
      self = .publicAnnouncement(features: UInt8(features), metadata: metadata)
    default: return nil
    }
  }

  /// The number of bytes that it has.
  var size: Int {
    switch self {
    case .announcement: 3
    case .publicAnnouncement(_, let metadata): 2 + metadata.count
    }
  }

  /// The name of the format for programs.
  public var type: String { if case .announcement = self { "audio-broadcast" } else { "auracast" } }
  /// The name of the format for people.
  public var label: String { if case .announcement = self { "Audio broadcast" } else { "Auracast" } }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    switch self {
    case .announcement(let broadcast):
      fields.add("broadcast_id", .bytes([16, 8, 0].map { UInt8(truncatingIfNeeded: broadcast >> $0) }))
    case .publicAnnouncement(let features, let metadata):
      let qualities = [(0x02, "standard"), (0x04, "high")].filter { Int(features) & $0.0 != 0 }.map(\.1)
      fields.addKnown("encrypted", features & 0x01 != 0)
      fields.add("quality", .list(qualities.map { .text($0) }), label: "quality")
      // Each entry has its length, its kind and its value.
      var reader = ByteReader(metadata)
      while !reader.rest.isEmpty {
        var ahead = reader
        guard let length = ahead.unsigned(1), let entry = ahead.bytes(length) else {
          fields.problems.append("the last entry of the metadata is cut off")
          break
        }
        reader = ahead
        let text = String(decoding: entry.dropFirst(), as: UTF8.self)
        switch entry.first {
        case nil: break
        case 0x03 where fields["program"] == nil: fields.add("program", .text(text), label: "program")
        case 0x04 where fields["language"] == nil: fields.add("language", .text(text), label: "language")
        default: fields.rest += [UInt8(length)] + entry
        }
      }
      fields.rest += reader.rest
    }
    return fields
  }
}
