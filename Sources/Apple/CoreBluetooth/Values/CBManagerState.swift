// SPDX-License-Identifier: MIT

/// The availability of Bluetooth.
public enum CBManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// bluetoothd or the bus was lost; another state follows.
  case resetting
  /// There is no adapter, or no bluetoothd.
  case unsupported
  /// The policy of the bus denies access to BlueZ.
  case unauthorized
  /// The adapter is off, or blocked by rfkill.
  case poweredOff
  /// Bluetooth can be used.
  case poweredOn
}
