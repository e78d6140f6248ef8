// SPDX-License-Identifier: MIT

/// Advertised data of one company or service: bytes, or how they change.
package enum AdvertisedValue: Sendable, Equatable {
  case constant([UInt8])
  case changing(AdvertisedChanges)

  init(_ bytes: [UInt8], _ changes: AdvertisedChanges?) {
    self = changes.map { .changing($0) } ?? .constant(bytes)
  }

  /// Empty if they change.
  var bytes: [UInt8] { if case .constant(let bytes) = self { bytes } else { [] } }
  var changes: AdvertisedChanges? { if case .changing(let changes) = self { changes } else { nil } }
}

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
