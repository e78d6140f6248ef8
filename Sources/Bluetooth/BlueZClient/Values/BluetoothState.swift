// SPDX-License-Identifier: MIT

/// The availability of Bluetooth; the equivalent in CoreBluetooth is `CBManagerState`.
public enum BluetoothState: String, Sendable, Hashable {
  /// The bus is lost, or the manager is closed: make a new one.
  case busUnavailable
  /// bluetoothd is not running.
  case serviceUnavailable
  /// There is no adapter, or not the requested one.
  case unsupported
  /// The adapter is off.
  case poweredOff
  /// The adapter is off because rfkill blocks it.
  case blocked
  /// Bluetooth can be used.
  case poweredOn
}
