// SPDX-License-Identifier: MIT
internal import Glibc
internal import Synchronization
package import TerminalOutput

/// The output, a log or a chart: what an ``OutputWorker`` writes to.
///
/// Once it has a worker, only the worker's thread uses it.
package protocol OutputSink: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// The least time between two writes, unless much waits: what comes meanwhile is written together.
  ///
  /// After a longer pause, an event is written at once.
  var interval: Duration { get }
  /// The most that is written together, in bytes of ``StreamEvent/cost``.
  var batchCost: Int { get }
  /// How far the current write is; nil for an output that takes all of a write at once.
  var progress: OutputProgress? { get }

  /// Writes all of them, or none. One with ``progress`` continues, when it is called again after a failure.
  func write(_ events: [StreamEvent]) throws(OutputError)
  /// Saves what was written against a power cut, or starts to; keeps a connection alive.
  ///
  /// It is called every second until it returns true, and again after a write.
  ///
  /// - Returns: false when the last call has not ended yet, so that another one is needed.
  /// - Throws: why this or the last call failed.
  func sync() throws(OutputError) -> Bool
  /// Draws again without an event: the terminal has another size.
  func refresh() throws(OutputError)
  /// Ends it, and saves what was written against a power cut.
  ///
  /// - Throws: what could not be written or saved.
  func close() throws(OutputError)
}

extension OutputSink {
  package var progress: OutputProgress? { nil }
  package func sync() throws(OutputError) -> Bool { true }
  package func refresh() throws(OutputError) {}
}

/// Why an output cannot be written.
package enum OutputError: Error, Hashable {
  /// Trying again may help, as with a full disk.
  case passing(String)
  /// Trying again is useless: the reader has closed the pipe.
  case final(ConsoleError)

  package init(_ reason: String) { self = .passing(reason) }

  package init(errno number: Int32) { self = .passing(String(cString: strerror(number))) }
}

extension OutputError: CustomStringConvertible {
  /// The reason in words: `Permission denied`.
  package var description: String {
    switch self {
    case .passing(let reason): reason
    case .final(let error): "\(error)"
    }
  }
}

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
