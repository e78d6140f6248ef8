// SPDX-License-Identifier: MIT
package import BLEFormats

/// A service of a peripheral.
package struct ServiceSpec: Sendable, Equatable {
  package var uuid: BluetoothUUID
  /// A note for people, such as a name of their own.
  package var comment: String?
  /// False for a service that exists only to be included by others.
  package var isPrimary: Bool
  package var includes: [ServiceReference]
  package var characteristics: [CharacteristicSpec]
  /// The handle of the declaration; nil for the next free one.
  package var handle: UInt16?

  package init(
    _ uuid: BluetoothUUID, _ characteristics: [CharacteristicSpec], isPrimary: Bool = true,
    includes: [ServiceReference] = [], handle: UInt16? = nil
  ) {
    (self.uuid, self.isPrimary, self.includes) = (uuid, isPrimary, includes)
    (self.characteristics, self.handle) = (characteristics, handle)
  }
}

package enum ServiceReference: Sendable, Equatable {
  /// The first one with a UUID.
  case uuid(BluetoothUUID)
  /// The one with a fixed handle.
  case handle(UInt16)
}

/// A characteristic of a peripheral: its value, and what reading, writing and subscribing do.
package struct CharacteristicSpec: Sendable, Equatable {
  /// The value of a characteristic without one: a byte.
  package static let defaultValue: [UInt8] = [0]

  package var uuid: BluetoothUUID
  /// A note for people.
  package var comment: String?
  package var properties: GATTProperties
  package var value: [UInt8]
  package var reading: ReadBehaviour
  package var writing: WriteBehaviour
  package var notifying: NotifyBehaviour
  package var descriptors: [DescriptorSpec]
  /// The longest value that can be written, 0 to 512 bytes.
  package var maximumLength: Int
  package var security: AttributeSecurity
  /// The handle of the declaration; nil for the next free one.
  package var handle: UInt16?
  /// The faults that apply from the start.
  package var faults: [CharacteristicAction]

  package init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: [UInt8] = defaultValue,
    reading: ReadBehaviour = .value, writing: WriteBehaviour = .store, notifying: NotifyBehaviour = .onDemand,
    descriptors: [DescriptorSpec] = [], maximumLength: Int = 512, security: AttributeSecurity = .none,
    handle: UInt16? = nil, faults: [CharacteristicAction] = []
  ) {
    (self.uuid, self.properties, self.value, self.reading) = (uuid, properties, value, reading)
    (self.writing, self.notifying, self.descriptors) = (writing, notifying, descriptors)
    (self.maximumLength, self.security, self.handle, self.faults) = (maximumLength, security, handle, faults)
  }
}

extension CharacteristicSpec {
  /// The value before any write or notification: that of the spec, or what a layout sends first.
  package var initialValue: [UInt8] {
    guard value == Self.defaultValue, case .generate(let generator, _) = notifying, case .layout = generator
    else { return value }
    var sequence = ValueSequence(generator)
    return sequence.next() ?? value
  }
}

/// A descriptor of a characteristic.
///
/// The client configuration (2902) is added automatically; list it only to fix its handle.
package struct DescriptorSpec: Sendable, Equatable {
  package var uuid: BluetoothUUID
  /// A note for people.
  package var comment: String?
  package var value: [UInt8]
  package var isWritable: Bool
  package var reading: ReadBehaviour
  package var security: AttributeSecurity
  /// Nil for the next free one.
  package var handle: UInt16?

  package init(
    _ uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false, reading: ReadBehaviour = .value,
    security: AttributeSecurity = .none, handle: UInt16? = nil
  ) {
    (self.uuid, self.value, self.isWritable, self.reading) = (uuid, value, isWritable, reading)
    (self.security, self.handle) = (security, handle)
  }
}

/// The security that a link needs for access to an attribute.
package enum AttributeSecurity: Sendable, Hashable, CaseIterable {
  case none
  /// Encrypted; otherwise requests are refused with ATT 0x0f.
  case encrypted
  /// Encrypted after authenticated pairing; otherwise requests are refused with ATT 0x05.
  case authenticated
  /// Encrypted after authenticated pairing by LE Secure Connections; otherwise refused with ATT 0x05.
  case secureConnections
}

/// The properties of a characteristic, with the bits of its declaration.
package struct GATTProperties: OptionSet, Sendable, Hashable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package init(integerLiteral value: UInt8) { rawValue = value }

  package static let broadcast = GATTProperties(rawValue: 0x01)
  package static let read = GATTProperties(rawValue: 0x02)
  package static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  package static let write = GATTProperties(rawValue: 0x08)
  package static let notify = GATTProperties(rawValue: 0x10)
  package static let indicate = GATTProperties(rawValue: 0x20)
  package static let signedWrite = GATTProperties(rawValue: 0x40)
  package static let extended = GATTProperties(rawValue: 0x80)

  package var isSubscribable: Bool { !isDisjoint(with: [.notify, .indicate]) }

  package static let names: [(property: GATTProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
    (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
    (.signedWrite, "authenticated-signed-writes"), (.extended, "extended-properties"),
  ]

  /// The names of the properties, as in the D-Bus property `Flags`.
  package var flags: [String] { GATTProperties.names.filter { contains($0.property) }.map(\.name) }
}
