// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import ValueStreams

/// Counts the values of a stream whose own checksum is wrong.
final class WrongChecksums: Sendable {
  private let counts = Lock((wrong: 0, all: 0))

  /// Takes the values that have a checksum.
  func take(_ event: StreamEvent) {
    guard case .values(let batch) = event, batch.origin.meaning?.hasChecksum == true else { return }
    let decoded = batch.decoded
    let wrong = batch.values.indices.count { decoded[$0]?.hasWrongChecksum == true }
    counts.withLock { $0 = ($0.wrong + wrong, $0.all + batch.values.count) }
  }

  /// A sentence about them; nil without any.
  var remark: String? {
    let (wrong, all) = counts.withLock { $0 }
    guard wrong > 0 else { return nil }
    return
      "\(wrong) of \(all) values \(wrong == 1 ? "has" : "have") a wrong checksum; alarms and averages leave such values out"
  }
}
