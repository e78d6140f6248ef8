// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TerminalOutput
package import ValueStreams

/// Counts the values whose own checksum is wrong.
package final class WrongChecksums: Sendable {
  private let counts = Lock((wrong: 0, all: 0))

  package init() {}

  /// Takes the values that have a checksum.
  package func take(_ event: StreamEvent) {
    guard case .values(let batch) = event, batch.origin.meaning?.hasChecksum == true else { return }
    let decoded = batch.decoded
    let wrong = batch.values.indices.count { decoded[$0]?.hasWrongChecksum == true }
    counts.withLock { $0 = ($0.wrong + wrong, $0.all + batch.values.count) }
  }

  /// A sentence about those of a stream; nil without any.
  var remark: String? { finding.map { "\($0); alarms and averages leave such values out" } }

  /// The number of them as a sentence; nil without any.
  package var finding: String? {
    let (wrong, all) = counts.withLock { $0 }
    guard wrong > 0 else { return nil }
    return "\(wrong) of \(counted(all, "value")) \(wrong == 1 ? "has" : "have") a wrong checksum"
  }
}
