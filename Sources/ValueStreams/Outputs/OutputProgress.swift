// SPDX-License-Identifier: MIT
internal import Synchronization

/// How far an output has come with what it is writing, as other threads see it.
///
/// For outputs that take records one by one, and may take long for each.
package final class OutputProgress: Sendable {
  private let remaining = Atomic(0)
  private let ending = Atomic(false)

  package init() {}

  /// How many records of the current write have not arrived yet.
  package var left: Int { remaining.load(ordering: .relaxed) }

  /// Begins a write of so many records.
  package func begin(_ count: Int) { remaining.store(count, ordering: .relaxed) }

  /// One of them has arrived.
  package func advance() { remaining.subtract(1, ordering: .relaxed) }

  /// Whether nothing more comes: what waits is written soon, or not at all.
  package var isEnding: Bool { ending.load(ordering: .relaxed) }

  func end() { ending.store(true, ordering: .relaxed) }
}
