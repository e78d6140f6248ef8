// SPDX-License-Identifier: MIT
package import BLECentral

/// The names and meanings of values that the program which examines a device knows.
package struct ValueWords: Sendable {
  let name: @Sendable (GATTCharacteristic, PeripheralInfo) -> String?
  let text: @Sendable ([UInt8], GATTCharacteristic, PeripheralInfo) -> String

  /// - Parameters:
  ///   - name: returns the name of a characteristic, if it has one.
  ///   - text: returns a value as people read it; not escaped.
  package init(
    name: @escaping @Sendable (GATTCharacteristic, PeripheralInfo) -> String?,
    text: @escaping @Sendable ([UInt8], GATTCharacteristic, PeripheralInfo) -> String
  ) {
    (self.name, self.text) = (name, text)
  }
}
