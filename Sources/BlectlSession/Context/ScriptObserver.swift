// SPDX-License-Identifier: MIT
package import BLECentral
package import ValueStreams

/// Learns what the commands of a script send and receive.
package protocol ScriptObserver: AnyObject, Sendable {
  /// Values were read, or notified.
  func received(_ batch: ValueBatch)
  /// A value was written for certain.
  func wrote(_ record: WrittenRecord)
  /// Notifications are on: what is sent from now on is received.
  func subscribed(to characteristics: [GATTCharacteristic])
}
