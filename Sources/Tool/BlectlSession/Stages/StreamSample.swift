// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// A value of a stream, as the stages see it: where it came from, its fields, and when.
struct StreamSample: Sendable {
  /// A source with values of its own: a characteristic of a device, or a kind of data that it advertises.
  struct Source: Hashable, Sendable {
    let address: BluetoothAddress
    /// Nil for what is advertised.
    let handle: UInt16?
    let word: String

    init(_ origin: ValueOrigin) {
      (address, word) = (origin.address, origin.word)
      handle = origin.attribute?.characteristic.handle
    }
  }

  let origin: ValueOrigin
  let source: Source
  let bytes: [UInt8]
  /// Empty if nothing is known of the bytes, or if they cannot be trusted.
  let fields: [DecodedFields.Field]
  /// True if the value's own checksum is wrong.
  let hasWrongChecksum: Bool
  let time: Timestamp
  /// The value alone, as it is passed on.
  let event: StreamEvent

  /// The values of a batch.
  static func samples(of batch: ValueBatch) -> [StreamSample] {
    let decoded = batch.decoded
    return batch.values.indices.map { index in
      StreamSample(batch, at: index, decoded[index])
    }
  }

  private init(_ batch: ValueBatch, at index: Int, _ decoded: DecodedFields?) {
    let (origin, value) = (batch.origin, batch.values[index])
    self.origin = origin
    source = Source(origin)
    (bytes, time) = (value.value, value.time)
    hasWrongChecksum = decoded?.hasWrongChecksum ?? false
    fields = hasWrongChecksum ? [] : decoded?.fields ?? []
    event = .values(batch.single(at: index))
  }

  /// The fields of which an average says something: that of the numbers of packets does not.
  var averaged: [DecodedFields.Field] {
    if !origin.isAdvertised { return fields }
    return fields.filter { !ValueAdvertisement.counterKeys.contains($0.key) }
  }

  /// The field with a key, or with a name that means it: that of a layout, or the key without its unit.
  func field(named name: String) -> DecodedFields.Field? {
    if let field = fields.first(where: { $0.key == name }) { return field }
    guard let meaning = origin.meaning else { return fields.first { $0.isNamed(name) } }
    return meaning.key(named: name).flatMap { key in fields.first { $0.key == key } }
  }
}
