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
  /// True if BlueZ neither opened a link nor said why.
  var isUnanswered: Bool { openedAfter == nil && failure != nil && failure?.dbusName == nil && !isLoss }

  /// The time from the link to its services, if they came.
  var servicesTime: Duration? {
    guard failure == nil, let openedAfter, let endedAfter else { return nil }
    return endedAfter - openedAfter
  }

  /// Returns whether another attempt had the same outcome, whatever time it took.
  func isLike(_ other: LinkAttempt) -> Bool {
    failure?.code == other.failure?.code && failure?.cause == other.failure?.cause
      && failure?.dbusName == other.failure?.dbusName && failure?.attError == other.failure?.attError
      && failure?.linkEnd == other.failure?.linkEnd
      && isUnresolved == other.isUnresolved && (openedAfter == nil) == (other.openedAfter == nil)
  }
}

extension LinkAttempt {
  /// The outcome of the attempt, for people.
  package var text: String {
    let link = openedAfter.map { "a link after \($0.inSeconds)" }
    guard let failure else {
      let services = servicesTime.map { ", its services \($0.inSeconds) later" } ?? ""
      return link.map { $0 + services } ?? "BlueZ is asked for a link"
    }
    let end = endedAfter.map { " after \($0.inSeconds)" } ?? ""
    let reason = failure.linkEnd?.explanation.map { ": \($0)" } ?? ""
    if isLoss { return "\(link ?? "a link"), lost\(end)\(reason)" }
    return link.map { "\($0), but no services\(end)" } ?? "no link\(end): \(failure.message)"
  }
}

extension [LinkAttempt] {
  /// The outcomes of the attempts, for people; equal ones in a row are one line.
  var texts: [String] {
    var lines: [String] = []
    var first = 0
    for index in indices {
      if index + 1 < count, self[index + 1].isLike(self[index]) { continue }
      let numbers =
        first == index ? "attempt \(index + 1)" : "attempts \(first + 1) to \(index + 1), the first"
      lines.append("\(numbers): \(self[first].text)")
      first = index + 1
    }
    return lines
  }
}
