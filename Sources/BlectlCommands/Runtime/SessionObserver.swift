// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// Learns what the commands of a session send and receive.
protocol SessionObserver: AnyObject, Sendable {
  /// Values were read, or notified.
  func received(_ batch: ValueBatch)
  /// A value was written for certain.
  func wrote(_ record: WrittenRecord)
  /// Notifications are on: what is sent from now on is received.
  func subscribed(to characteristics: [GATTCharacteristic])
}
