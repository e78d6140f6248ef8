// SPDX-License-Identifier: MIT

/// The way to write a value.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peripheral confirms or refuses the write.
  case withResponse = 0
  /// The peripheral does not respond.
  case withoutResponse
}
