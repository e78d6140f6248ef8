// SPDX-License-Identifier: MIT

/// The type of a write; CoreBluetooth's `CBCharacteristicWriteType`.
public enum WriteType: Sendable, Hashable, CaseIterable {
  /// The peer confirms or refuses the write (an ATT request; BlueZ's `request`).
  case withResponse
  /// The value is sent without confirmation (an ATT command; BlueZ's `command`): faster, and limited to the
  /// MTU less 3 bytes.
  case withoutResponse
}

extension GATTCharacteristic {
  /// The type of write that the device confirms, if the characteristic supports it.
  package var surestWriteType: WriteType { properties.contains(.write) ? .withResponse : .withoutResponse }
}
