// SPDX-License-Identifier: MIT

/// All events in BlueZ since the call of ``CentralManager/events(capacity:)``.
///
/// The events continue, and report it, when bluetoothd ends and comes back. They end when the sequence is
/// dropped or the task is cancelled. They throw ``BLEError``: `busUnavailable` when the bus is lost,
/// `cancelled` when the manager is closed.
public typealias CentralEvents = BatchedSequence<CentralEvent>
