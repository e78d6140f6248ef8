// SPDX-License-Identifier: MIT

/// An event in BlueZ that this program, another one or a device caused.
public struct CentralEvent: Sendable, Hashable {
  /// The kinds of events, with the objects that they concern.
  public enum Kind: Sendable, Hashable {
    /// BlueZ added a device.
    case found(PeripheralInfo)
    /// BlueZ removed a device, or ended itself.
    case lost(PeripheralInfo)
    /// A link to the device was opened.
    case connected(PeripheralInfo)
    /// The link to the device ended.
    case disconnected(PeripheralInfo)
    /// One or more properties of the device changed; links have their own events.
    case changed(PeripheralInfo, [PeripheralInfo.Field])
    /// A characteristic has a value: a program read it, or the device sent it.
    case value(PeripheralInfo, GATTCharacteristic, [UInt8])
    /// An adapter was plugged in.
    case adapterAdded(Adapter)
    /// An adapter was removed.
    case adapterRemoved(Adapter)
    /// An adapter was switched on or off, started or stopped scanning, or was renamed.
    case adapterChanged(Adapter)
    /// The availability of Bluetooth changed.
    case state(BluetoothState)
    /// The number of events dropped before this one because the reader was too slow.
    case missed(Int)
  }

  /// The event, and its objects.
  public let kind: Kind
  /// The time at which the event was read from the bus.
  public let time: Timestamp
}

/// All events in BlueZ since the call of ``CentralManager/events(capacity:)``.
///
/// The events continue, and report it, when bluetoothd ends and comes back. They end when the sequence is
/// dropped or the task is cancelled. They throw ``BLEError``: `busUnavailable` when the bus is lost,
/// `cancelled` when the manager is closed.
public typealias CentralEvents = BatchedSequence<CentralEvent>
