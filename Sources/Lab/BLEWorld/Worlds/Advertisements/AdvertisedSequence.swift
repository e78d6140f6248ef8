// SPDX-License-Identifier: MIT

/// The bytes of an advertisement, one value after another from the first.
struct AdvertisedSequence {
  private let changes: AdvertisedChanges
  private var values: ValueSequence?
  private var index = 0

  init(_ changes: AdvertisedChanges) {
    self.changes = changes
    if case .generate(let generator, _) = changes { values = ValueSequence(generator) }
  }

  /// Returns the next value and how long it is advertised, nil for from then on; returns nil if there is none.
  mutating func next() -> (bytes: [UInt8], duration: Duration?)? {
    defer { index += 1 }
    switch changes {
    case .generate(_, let interval): return values?.next().map { ($0, interval) }
    case .sequence(let values):
      guard !values.isEmpty else { return nil }
      let value = values[index % values.count]
      return (value.bytes, values.count == 1 ? nil : value.duration)
    case .replay(let recording):
      guard !recording.samples.isEmpty else { return nil }
      let sample = recording.samples[index % recording.samples.count]
      return (sample.value, recording.duration(of: index))
    }
  }
}
