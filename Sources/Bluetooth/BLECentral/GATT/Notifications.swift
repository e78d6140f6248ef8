// SPDX-License-Identifier: MIT

/// The notifications of a characteristic since the subscription.
///
/// The sequence ends when it is dropped or the task is cancelled. It throws when the link is lost or
/// released: `disconnected`, `notFound`, `serviceUnavailable` and so on. No value is lost silently:
/// ``BatchedSequence/Batch/dropped`` counts those that exceed the capacity.
public typealias Notifications = BatchedSequence<ReceivedValue>
