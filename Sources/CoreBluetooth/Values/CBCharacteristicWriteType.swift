// SPDX-License-Identifier: MIT

/// How a value is written.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral confirms or refuses it.
  case withResponse = 0
  /// Nothing comes back.
  case withoutResponse
}
