// SPDX-License-Identifier: MIT
package import BLECentral
package import ValueStreams

/// Is told what the commands of a script send and receive.
package protocol ScriptObserver: AnyObject, Sendable {
  /// Values were read or notified.
  func received(_ batch: ValueBatch)
  /// A value was certainly written.
  func wrote(_ record: WrittenRecord)
  /// Notifications are on: whatever is sent from now on is received.
  func subscribed(to characteristics: [GATTCharacteristic])
  /// The values of a characteristic to which a step has subscribed; nil if none has.
  func waitingValues(of characteristic: GATTCharacteristic) -> ValueWatch?
}
