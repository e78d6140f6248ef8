// SPDX-License-Identifier: MIT

/// A descriptor of a characteristic; `org.bluez.GattDescriptor1`, CoreBluetooth's `CBDescriptor`.
public struct GATTDescriptor: Sendable, Hashable, Identifiable {
  let path: String
  let devicePath: String
  /// Identifies the descriptor on its device.
  public var id: String { path }
  /// The descriptor's UUID.
  public let uuid: BluetoothUUID
  /// The attribute handle; 0 when BlueZ does not provide it.
  public let handle: UInt16
}
