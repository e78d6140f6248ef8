// SPDX-License-Identifier: MIT

/// The notifications of a characteristic, from the moment of the subscription.
///
/// They end when the subscription is dropped or the task is cancelled, and throw when the link is lost or released:
/// `disconnected`, `notFound`, `serviceUnavailable` and so on. No value is lost without a sign: where a capacity was given,
/// ``BatchedSequence/Batch/dropped`` counts.
public typealias Notifications = BatchedSequence<ValueNotification>

extension Peripheral {
  /// Subscribes to the notifications, or indications, of a characteristic.
  ///
  /// When this returns, the device has confirmed the subscription, and each value from now on will be delivered.
  /// Several subscriptions share one of BlueZ.
  ///
  /// BlueZ: GattCharacteristic1.StartNotify, or AcquireNotify.
  ///
  /// - Parameters:
  ///   - characteristic: one with the property notify or indicate.
  ///   - transport: how the values travel; see ``NotificationTransport``.
  ///   - capacity: how many values may wait for the reader; more are dropped and counted. Unlimited by default.
  ///   - timeout: how long the device may take to confirm; nil is without limit.
  /// - Returns: the values.
  /// - Throws: ``BLEError``: `notSupported` without the property, or if the bus does not carry sockets, `busy` when another program holds the
  ///   characteristic's socket, `notPaired`, `disconnected`, `timedOut` …
  public func notifications(
    for characteristic: GATTCharacteristic, via transport: NotificationTransport = .signal,
    capacity: Int = .max, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> Notifications {
    try await central.subscribe(
      characteristic.target(of: self, verb: "subscribe to", timeout), transport, capacity)
  }

  /// Drops the values that a device has sent so far, so that the next one may be the answer to a request.
  ///
  /// A value that is in the air, or in bluetoothd, cannot be distinguished from an answer.
  ///
  /// BlueZ: a call whose reply comes behind all values that bluetoothd has signalled.
  ///
  /// - Parameters:
  ///   - characteristic: the one that was subscribed to.
  ///   - iterator: the reader of its values.
  ///   - timeout: how long bluetoothd may take.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  package func discardNotifications(
    of characteristic: GATTCharacteristic, waitingIn iterator: inout Notifications.Iterator,
    timeout: Duration?
  ) async throws(BLEError) {
    try await central.passBarrier(characteristic.target(of: self, verb: "subscribe to", timeout))
    iterator.discardBacklog()
  }
}
