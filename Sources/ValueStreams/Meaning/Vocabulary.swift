// SPDX-License-Identifier: MIT
package import BLEMeaning

/// The names and the layouts of values that this process knows.
package struct Vocabulary: Sendable {
  package init() {}

  // MARK: Meaning

  /// The layout of the values of an attribute; nil if none is known.
  package func layout(of attribute: AttributeIdentity) -> ValueLayout? { ValueLayout(for: attribute.uuid) }

  /// The name of a service; for a UUID that was bought, perhaps only that of the buyer.
  package func name(ofService uuid: BluetoothUUID) -> String? { AssignedNumbers.name(ofService: uuid) }

  /// The name of a service; nil if there is only that of the buyer of its UUID.
  package func ownName(ofService uuid: BluetoothUUID) -> String? {
    AssignedNumbers.assigned(uuid).first { $0.kind == .service }?.name
  }

  package func name(ofCharacteristic attribute: AttributeIdentity) -> String? {
    AssignedNumbers.name(ofCharacteristic: attribute.uuid)
  }

  package func name(ofDescriptor attribute: AttributeIdentity) -> String? {
    AssignedNumbers.name(ofDescriptor: attribute.uuid)
  }

  // MARK: Names

  /// The UUID with a whole name, if only one has it.
  package func uuid(named name: some StringProtocol, kinds: [AssignedNumber.Kind]) -> BluetoothUUID? {
    BluetoothUUID(name: name, kinds: kinds)
  }

  /// The numbers with a whole name.
  package func named(_ name: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    AssignedNumbers.named(name, kinds: kinds)
  }

  /// The numbers whose name contains a text, the exact matches first.
  package func containing(_ part: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
    AssignedNumbers.containing(part, kinds: kinds)
  }

  /// Names that a misspelt one may mean, the likeliest first.
  package func suggestions(for text: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [String] {
    AssignedNumbers.suggestions(for: text, kinds: kinds)
  }
}
