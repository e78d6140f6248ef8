// SPDX-License-Identifier: MIT

/// An event in BlueZ, caused by this program, another one, or a device.
public struct CentralEvent: Sendable, Hashable {
  /// The kinds of events, with their objects.
  public enum Kind: Sendable, Hashable {
    /// BlueZ has learnt of a device.
    case found(PeripheralInfo)
    /// BlueZ has forgotten a device, or has ended itself.
    case lost(PeripheralInfo)
    /// A link to the device was opened.
    case connected(PeripheralInfo)
    /// The link to the device has ended.
    case disconnected(PeripheralInfo)
    /// Properties of the device, at least one, have changed; links have events of their own.
    case changed(PeripheralInfo, [PeripheralInfo.Field])
    /// A characteristic has a value: a program has read it, or the device has sent it.
    case value(PeripheralInfo, GATTCharacteristic, [UInt8])
    /// An adapter was plugged in.
    case adapterAdded(Adapter)
    /// An adapter was removed.
    case adapterRemoved(Adapter)
    /// An adapter was switched on or off, started or stopped scanning, or was renamed.
    case adapterChanged(Adapter)
    /// Whether Bluetooth can be used has changed.
    case state(BluetoothState)
    /// The number of events that were dropped before this one because the reader is too slow.
    case missed(Int)
  }

  /// What happened.
  public let kind: Kind
  /// When it was read from the bus.
  public let time: Timestamp
}
