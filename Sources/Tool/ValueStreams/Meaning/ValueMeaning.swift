// SPDX-License-Identifier: MIT
package import BLECentral
package import BLEFormats

/// The decoder for the values of one attribute, looked up once.
package struct ValueMeaning: Sendable {
  private enum Source: Sendable {
    case layout(ValueLayout)
    case range(ValueLayout)
    case format(PresentationFormat)
    case plain(PlainValue)
  }

  private let source: Source

  private init(_ source: Source) { self.source = source }

  package init(_ layout: ValueLayout) { source = .layout(layout) }

  /// Numbers or a text, of which nothing more is known.
  init(_ plain: PlainValue) { source = .plain(plain) }

  /// The known meaning of a characteristic or descriptor; nil if there is none.
  package init?(of attribute: AttributeIdentity, in vocabulary: Vocabulary = .known) {
    guard let layout = vocabulary.layout(of: attribute) else { return nil }
    source = .layout(layout)
  }

  /// The known meaning, or else that of the Presentation Format descriptor; `values` are by attribute ID.
  package init?(
    of characteristic: GATTCharacteristic, on device: ProfileSubject, values: [String: [UInt8]],
    in vocabulary: Vocabulary = .known
  ) {
    if let layout = vocabulary.layout(of: AttributeIdentity(characteristic, of: device)) {
      source = .layout(layout)
      return
    }
    let formats = characteristic.descriptors.filter { $0.uuid == .characteristicPresentationFormat }
    // Several formats describe the parts of an aggregate, whose sizes are only in its own descriptor.
    guard formats.count == 1, let format = values[formats[0].id].flatMap({ PresentationFormat($0) }) else {
      return nil
    }
    source = .format(format)
  }

  package init?(
    of descriptor: GATTDescriptor, in characteristic: GATTCharacteristic, on device: ProfileSubject,
    in vocabulary: Vocabulary = .known
  ) {
    let owner = AttributeIdentity(characteristic, of: device)
    if descriptor.uuid == .validRange, let layout = vocabulary.layout(of: owner) {
      self.init(.range(layout))
    } else {
      self.init(of: AttributeIdentity(descriptor, in: characteristic, of: device), in: vocabulary)
    }
  }

  /// Nil if the format does not apply to the bytes.
  package func decode(_ bytes: [UInt8]) -> DecodedFields? {
    switch source {
    case .layout(let layout): layout.decode(bytes)
    case .range(let layout): layout.decodeRange(bytes)
    case .format(let format): format.decode(bytes)
    case .plain(let plain): plain.decode(bytes)
    }
  }

  /// The key of a field that is written with or without its unit; nil if there is none, or it is not known which there are.
  package func key(named name: String) -> String? {
    switch source {
    case .layout(let layout): layout.key(named: name)
    case .plain: name == PlainValue.key ? name : nil
    case .range, .format: nil
    }
  }

  /// The fields that decoded values can have; those of a range, and of the format in a descriptor, are unknown.
  package var knownFields: [KnownField] {
    switch source {
    case .layout(let layout): layout.knownFields
    case .plain: Self.plainFields
    case .range, .format: []
    }
  }

  /// The fields of values that consist of numbers or of text.
  static let plainFields = [KnownField(PlainValue.key, .number, .any)]

  /// True if a checksum shows whether a value is whole.
  package var hasChecksum: Bool { if case .layout(let layout) = source { layout.hasChecksum } else { false } }

  /// The columns of a table for decoded values: their keys, behind that of a list those of its first elements, and one for
  /// problems where a checksum finds them.
  package var columns: [String] {
    guard case .layout(let layout) = source else { return keys }
    let lengths = Dictionary(layout.lists, uniquingKeysWith: max)
    return keys.flatMap { key in
      [key] + (1..<(min(lengths[key] ?? 0, ListElement.most) + 1)).map { ListElement(key, $0).column }
    } + (hasChecksum ? [DecodedFields.problemKey] : [])
  }

  /// The keys that decoded values can have.
  ///
  /// Those of a range, and of the format in a descriptor, are unknown.
  package var keys: [String] {
    switch source {
    case .layout(let layout): layout.shownKeys
    case .plain: [PlainValue.key]
    case .range, .format: []
    }
  }
}

extension BluetoothUUID {
  fileprivate static var characteristicPresentationFormat: Self { Self(short: 0x2904) }

  fileprivate static var validRange: Self { Self(short: 0x2906) }
}
