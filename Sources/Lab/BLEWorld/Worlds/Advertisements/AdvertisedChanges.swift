// SPDX-License-Identifier: MIT

/// The changes of advertised data over time, counted from the start of the simulation.
package enum AdvertisedChanges: Sendable, Equatable {
  /// The values of a generator, each for this long.
  case generate(ValueGenerator, every: Duration)
  /// Values, each for its own time, repeated forever.
  case sequence([TimedData])
  /// The advertisements of a device, as recorded in a log.
  case replay(AdvertisedRecording)
}

/// Data that is advertised for some time.
package struct TimedData: Sendable, Equatable {
  package var bytes: [UInt8]
  package var duration: Duration

  package init(_ bytes: [UInt8], for duration: Duration) { (self.bytes, self.duration) = (bytes, duration) }
}
