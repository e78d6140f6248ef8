// SPDX-License-Identifier: MIT
internal import BLECentral

/// One call of Connect, and what became of it.
package struct LinkAttempt: Sendable {
  /// The time from the call until there was a link; nil if there was none.
  package var openedAfter: Duration?
  /// The time from the call to the failure, or until the services were known.
  package var endedAfter: Duration?
  package var failure: BLEError?

  package init() {}

  /// True if a link came about and was lost.
  package var isLoss: Bool { failure?.linkEnd != nil && !isUnresolved }
  /// True if a link came about, but its services did not before the timeout.
  package var isUnresolved: Bool { openedAfter != nil && failure?.code == .timedOut }
  /// True if the controller supports no further link.
  package var isLimit: Bool {
    if case .connectionLimit = failure?.cause { true } else { false }
  }
}

extension LinkAttempt {
  /// The outcome of the attempt, for people.
  package var text: String {
    let link = openedAfter.map { "a link after \($0.inSeconds)" }
    guard let failure else { return link ?? "BlueZ is asked for a link" }
    let end = endedAfter.map { " after \($0.inSeconds)" } ?? ""
    let reason = failure.linkEnd?.explanation.map { ": \($0)" } ?? ""
    if isLoss { return "\(link ?? "a link"), lost\(end)\(reason)" }
    return link.map { "\($0), but no services\(end)" } ?? "no link\(end): \(failure.message)"
  }
}
