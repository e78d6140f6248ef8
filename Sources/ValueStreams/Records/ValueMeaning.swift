// SPDX-License-Identifier: MIT
package import BLECentral

/// The decoder for the values of one attribute, looked up once.
package struct ValueMeaning: Sendable {
  private enum Source: Sendable {
    case layout(ValueLayout)
    case range(ValueLayout)
    case format(PresentationFormat)
  }

  private let source: Source

  private init(_ source: Source) { self.source = source }

  /// The standard meaning of a characteristic or descriptor; nil if there is none.
  package init?(of uuid: BluetoothUUID) {
    guard let layout = ValueLayout(for: uuid) else { return nil }
    source = .layout(layout)
  }

  /// The standard meaning, or else that of the Presentation Format descriptor; `values` are by attribute ID.
  package init?(of characteristic: GATTCharacteristic, values: [String: [UInt8]]) {
    if let layout = ValueLayout(for: characteristic.uuid) {
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

  package init?(of descriptor: GATTDescriptor, in characteristic: GATTCharacteristic) {
    if descriptor.uuid == .validRange, let layout = ValueLayout(for: characteristic.uuid) {
      self.init(.range(layout))
    } else {
      self.init(of: descriptor.uuid)
    }
  }

  /// Nil if the format does not apply to the bytes.
  package func decode(_ bytes: [UInt8]) -> DecodedFields? {
    switch source {
    case .layout(let layout): layout.decode(bytes)
    case .range(let layout): layout.decodeRange(bytes)
    case .format(let format): format.decode(bytes)
    }
  }
}

extension BluetoothUUID {
  fileprivate static var characteristicPresentationFormat: Self { Self(short: 0x2904) }

  fileprivate static var validRange: Self { Self(short: 0x2906) }
}
