// SPDX-License-Identifier: MIT

/// All events since the call of ``PeripheralManager/events(capacity:)``.
public typealias PeripheralEvents = BatchedSequence<PeripheralEvent>
