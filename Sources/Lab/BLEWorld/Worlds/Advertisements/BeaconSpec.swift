// SPDX-License-Identifier: MIT
package import BLEFormats

/// Advertised data of a known format, by its values.
package struct BeaconSpec: Sendable, Equatable {
  package var format: BeaconFormat
  /// The values, in the order of the file.
  package var values: [FieldSpec]
  /// The time that the values stay the same.
  package var interval: Duration
  /// The key that encrypts the data, if any.
  package var key: BindKey?
  /// The counter of the first encrypted packet; each further one increases it.
  package var firstCounter: UInt32

  package init(
    _ format: BeaconFormat, _ values: [FieldSpec], every interval: Duration = .seconds(1),
    key: BindKey? = nil, firstCounter: UInt32 = 0
  ) {
    (self.format, self.values, self.interval, self.key) = (format, values, interval, key)
    self.firstCounter = firstCounter
  }
}

extension BeaconSpec {
  /// True if it advertises something else each time.
  var isChanging: Bool {
    key != nil || values.contains { if case .constant = $0.source { false } else { true } }
  }
}
