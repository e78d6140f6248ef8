// SPDX-License-Identifier: MIT

/// Whether Bluetooth can be used; what CoreBluetooth calls `CBManagerState`.
public enum BluetoothState: String, Sendable, Hashable {
  /// The bus is lost, or the manager is closed: make a new one.
  case busUnavailable
  /// bluetoothd does not run.
  case serviceUnavailable
  /// No adapter exists, or not the one that was named.
  case unsupported
  /// The adapter is off.
  case poweredOff
  /// The adapter is off because rfkill blocks it.
  case blocked
  /// Bluetooth can be used.
  case poweredOn
}
