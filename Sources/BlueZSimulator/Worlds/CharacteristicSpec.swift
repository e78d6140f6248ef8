// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A characteristic of a peripheral: its value, and what reading, writing and subscribing do.
package struct CharacteristicSpec: Sendable, Hashable {
  package var uuid: BluetoothUUID
  package var properties: GATTProperties
  /// The initial value.
  package var value: [UInt8]
  package var reading: ReadBehaviour
  package var writing: WriteBehaviour
  package var notifying: NotifyBehaviour
  package var descriptors: [DescriptorSpec]
  /// The longest value that can be written, 0 to 512 bytes.
  package var maximumLength: Int
  /// The security that the link must have for reading, writing and subscribing.
  package var security: AttributeSecurity
  /// The handle of the declaration; nil for the next free one.
  package var handle: UInt16?
  /// The faults that apply from the start.
  package var faults: [CharacteristicAction]

  package init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: [UInt8] = [0],
    reading: ReadBehaviour = .value, writing: WriteBehaviour = .store, notifying: NotifyBehaviour = .onDemand,
    descriptors: [DescriptorSpec] = [], maximumLength: Int = 512, security: AttributeSecurity = .none,
    handle: UInt16? = nil, faults: [CharacteristicAction] = []
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
