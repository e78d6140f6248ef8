// SPDX-License-Identifier: MIT

/// How a value is written; CoreBluetooth's `CBCharacteristicWriteType`.
public enum WriteType: Sendable, Hashable, CaseIterable {
  /// The peer confirms or refuses the write (an ATT request; BlueZ's `request`).
  case withResponse
  /// The value is sent and nothing comes back (an ATT command; BlueZ's `command`): faster, never confirmed,
  /// and no longer than the MTU less 3 bytes.
  case withoutResponse
}
