// SPDX-License-Identifier: MIT
internal import Synchronization

/// The messages reported to a person.
package final class Remarks: Sendable {
  private let texts = Mutex<[String]>([])

  package init() {}

  package var all: [String] { texts.withLock { $0 } }
  @Sendable package func add(_ text: String) { texts.withLock { $0.append(text) } }
}
