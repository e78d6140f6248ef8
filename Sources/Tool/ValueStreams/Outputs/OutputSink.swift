// SPDX-License-Identifier: MIT
internal import Glibc
internal import Synchronization
package import TerminalOutput

/// An output, a log or a chart, which only the thread of its ``OutputWorker`` uses.
package protocol OutputSink: AnyObject {
  var name: String { get }
  /// The least time between two writes, unless much waits; after a longer pause, an event is written at once.
  var interval: Duration { get }
  /// The most that is written together, in bytes of ``StreamEvent/cost``.
  var batchCost: Int { get }
  /// Progress of the current write; nil for an output that takes all of a write at once.
  var progress: OutputProgress? { get }
  /// The register in which those who listen note whom they hear; nil for an output that need not know.
  var sightings: DeviceSightings? { get }

  /// Writes all of them, or none; one with ``progress`` continues when called again after a failure.
  func write(_ events: [StreamEvent]) throws(OutputError)
  /// Saves written data against a power cut, or starts to; keeps a connection alive.
  ///
  /// It is called every second until it returns true, and again after a write.
  ///
  /// - Returns: false while the last call has not ended, so that another one is needed.
  /// - Throws: why this or the last call failed.
  func sync() throws(OutputError) -> Bool
  /// True if ``refresh()`` is also called every second: it shows how old something is.
  var showsAges: Bool { get }
  /// Redraws after the terminal was resized, or a key was pressed.
  func refresh() throws(OutputError)
  /// Ends it, and saves written data against a power cut.
  func close() throws(OutputError)
}

extension OutputSink {
  package var progress: OutputProgress? { nil }
  package var sightings: DeviceSightings? { nil }
  package func sync() throws(OutputError) -> Bool { true }
  package var showsAges: Bool { false }
  package func refresh() throws(OutputError) {}
}

package enum OutputError: Error, Hashable {
  /// Trying again may help, as with a full disk.
  case passing(String)
  /// Trying again is useless: the reader closed the pipe.
  case final(ConsoleError)

  package init(_ reason: String) { self = .passing(reason) }

  package init(errno number: Int32) { self = .passing(String(cString: strerror(number))) }
}

extension OutputError: CustomStringConvertible {
  /// The reason, such as `Permission denied`.
  package var description: String {
    switch self {
    case .passing(let reason): reason
    case .final(let error): "\(error)"
    }
  }
}

/// The progress of an output that may take long for each record, for other threads.
package final class OutputProgress: Sendable {
  private let remaining = Atomic(0)
  private let ending = Atomic(false)

  package init() {}

  /// The number of records of the current write that have not arrived yet.
  package var left: Int { remaining.load(ordering: .relaxed) }

  package func begin(_ count: Int) { remaining.store(count, ordering: .relaxed) }

  package func advance() { remaining.subtract(1, ordering: .relaxed) }

  /// True if no more records come: the waiting ones are written soon, or not at all.
  package var isEnding: Bool { ending.load(ordering: .relaxed) }

  func end() { ending.store(true, ordering: .relaxed) }
}

/// An output to the console, which only formats events.
package protocol ConsoleSink: OutputSink {
  var console: Console { get }

  func append(_ events: [StreamEvent], to bytes: inout [UInt8])
}

extension ConsoleSink {
  package var name: String { "the output" }
  /// Shorter than any interval of a connection, and lets a fast stream write many values each time that the thread wakes.
  package var interval: Duration { .milliseconds(5) }
  package var batchCost: Int { 64 * 1024 }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    var bytes: [UInt8] = []
    append(events, to: &bytes)
    do throws(ConsoleError) { try console.write(bytes: bytes) } catch { throw .final(error) }
  }

  package func close() {}
}
