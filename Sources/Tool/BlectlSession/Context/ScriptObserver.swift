// SPDX-License-Identifier: MIT
package import AsyncIO
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
  func waitingValues(of characteristic: GATTCharacteristic) -> (any WaitingValues)?
}

/// The notified values that no step of a script has taken yet.
package protocol WaitingValues: AnyObject, Sendable {
  /// The number of values that were dropped because too many waited.
  var forgottenCount: Int { get }
  /// Takes the next value; nil when none comes before the deadline, or when no more can come.
  ///
  /// - Throws: why no more can come; `CancellationError`.
  func next(until deadline: ContinuousClock.Instant?, on loop: EventLoop) async throws -> ReceivedValue?
  /// Drops what waits.
  func discard()
}
