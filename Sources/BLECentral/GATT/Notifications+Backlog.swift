// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension Notifications.Iterator {
  /// Forgets the values that wait: they answer nothing that is asked from now on.
  mutating func discardBacklog() {
    (batch, position) = ([], 0)
    notifications.subscription.channel.discardBacklog()
  }
}

extension Peripheral {
  /// Forgets the values that a device has sent so far, so that the next one may be an answer to what is asked now.
  ///
  /// A value that is in the air, or in bluetoothd, cannot be distinguished from an answer.
  ///
  /// BlueZ: a call whose reply comes behind all values that bluetoothd has signalled.
  ///
  /// - Parameters:
  ///   - characteristic: the one that was subscribed to.
  ///   - iterator: takes its values.
  ///   - timeout: how long bluetoothd may take.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  package func discardNotifications(
    of characteristic: GATTCharacteristic, waitingIn iterator: inout Notifications.Iterator,
    timeout: Duration?
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, verb: "subscribe to")
    try await central.passBarrier(target, Deadline(after: timeout))
    iterator.discardBacklog()
  }
}

extension CentralManager {
  /// Returns when all values that bluetoothd has signalled by now were delivered.
  fileprivate func passBarrier(_ target: AttributeTarget, _ deadline: Deadline) async throws(BLEError) {
    let barrier = Message(call: "Get", of: StandardInterface.properties, at: target.path, to: BlueZ.service) {
      $0.string(BlueZ.gattCharacteristic)
      $0.string("UUID")
    }
    do {
      try await call(barrier, for: target.operation, until: deadline)
    } catch {
      throw await explain(error, target)
    }
  }
}
