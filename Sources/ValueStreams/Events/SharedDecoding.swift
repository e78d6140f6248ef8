// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Synchronization

/// What some values mean, decoded by the first output that asks and kept for the others, whose threads wait for it.
///
/// Decoding costs more than anything else that an output does. What is decoded takes ten times the memory of the bytes, and
/// a slow output keeps its batches: above a limit, each output decodes for itself.
final class SharedDecoding: Sendable {
  /// How many decoded values are kept at most, in the whole process.
  static let mostKept = 8192
  private static let keptCount = Atomic(0)

  private let values: [ReceivedValue]
  private let meaning: ValueMeaning
  private let kept = Lock<[DecodedFields?]?>(nil)

  init(of values: [ReceivedValue], _ meaning: ValueMeaning) {
    self.values = values
    self.meaning = meaning
  }

  deinit {
    if kept.withLock({ $0 != nil }) { Self.keptCount.subtract(values.count, ordering: .relaxed) }
  }

  /// The meaning of each value; nil for those that do not fit.
  func rows() -> [DecodedFields?] {
    kept.withLock { kept in
      if let kept { return kept }
      let rows = values.map { meaning.decode($0.bytes) }
      if Self.keptCount.add(values.count, ordering: .relaxed).newValue <= Self.mostKept {
        kept = rows
      } else {
        Self.keptCount.subtract(values.count, ordering: .relaxed)
      }
      return rows
    }
  }
}
