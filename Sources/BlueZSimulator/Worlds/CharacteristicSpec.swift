// SPDX-License-Identifier: MIT

/// A characteristic of a peripheral: its value, and what reading, writing and subscribing do.
package struct CharacteristicSpec: Sendable, Hashable {
  package var uuid: AttributeUUID
  package var properties: GATTProperties
  /// The value at the beginning.
  package var value: [UInt8]
  package var reading: ReadBehaviour
  package var writing: WriteBehaviour
  package var notifying: NotifyBehaviour
  package var descriptors: [DescriptorSpec]
  /// How long a value may be written, in bytes, 0 to 512.
  package var maximumLength: Int
  /// What the link must be for the value to be read, written or subscribed to.
  package var security: AttributeSecurity
  /// The handle of the declaration; nil for the next one that is free.
  package var handle: UInt16?
  /// What is wrong with it from the beginning: commands that stand.
  package var faults: [CharacteristicCommand]

  package init(
    _ uuid: AttributeUUID, _ properties: GATTProperties, value: [UInt8] = [0],
    reading: ReadBehaviour = .value, writing: WriteBehaviour = .store, notifying: NotifyBehaviour = .onDemand,
    descriptors: [DescriptorSpec] = [], maximumLength: Int = 512, security: AttributeSecurity = .none,
    handle: UInt16? = nil, faults: [CharacteristicCommand] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.reading = reading
    self.writing = writing
    self.notifying = notifying
    self.descriptors = descriptors
    self.maximumLength = maximumLength
    self.security = security
    self.handle = handle
    self.faults = faults
  }
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

  /// Whether a client can subscribe.
  var isSubscribable: Bool { !isDisjoint(with: [.notify, .indicate]) }
}
