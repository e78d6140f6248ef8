// SPDX-License-Identifier: MIT

/// Everything that happens in BlueZ from the call of ``CentralManager/events(capacity:)`` on.
///
/// The events go on when bluetoothd ends and comes back, which they report. They end when they are dropped or the task
/// is cancelled, and throw ``BLEError`` with code `busUnavailable` when the bus is lost, and `cancelled` when the manager
/// is closed.
public typealias CentralEvents = BatchedSequence<CentralEvent>
