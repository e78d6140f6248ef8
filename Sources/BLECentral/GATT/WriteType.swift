// SPDX-License-Identifier: MIT

/// How a value is written; CoreBluetooth's `CBCharacteristicWriteType`.
public enum WriteType: Sendable, Hashable, CaseIterable {
  /// The peer confirms or refuses the write (an ATT request; BlueZ's `request`).
  case withResponse
  /// The value is sent without confirmation (an ATT command; BlueZ's `command`): faster, and limited to the
  /// MTU less 3 bytes.
  case withoutResponse
}

extension GATTCharacteristic {
  /// How to write a value so that the device confirms it, if it can.
  package var surestWriteType: WriteType { properties.contains(.write) ? .withResponse : .withoutResponse }
}
