// SPDX-License-Identifier: MIT

/// The notifications of a characteristic, from the moment of the subscription.
///
/// They end when the subscription is dropped or the task is cancelled, and throw when the link is lost or released:
/// `disconnected`, `notFound`, `serviceUnavailable` and so on. No value is lost without a sign: where a capacity was given,
/// ``BatchedSequence/Batch/dropped`` counts.
public typealias Notifications = BatchedSequence<ReceivedValue>
