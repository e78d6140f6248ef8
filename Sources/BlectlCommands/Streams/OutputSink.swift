// SPDX-License-Identifier: MIT

/// The output, a log or a chart: what an ``OutputWorker`` writes to.
///
/// Once it has a worker, only the worker's thread uses it.
protocol OutputSink: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// The least time between two writes, unless much waits: what comes meanwhile is written together.
  ///
  /// After a longer pause, an event is written at once.
  var interval: Duration { get }
  /// The most that is written together, in bytes of ``StreamEvent/cost``.
  var batchCost: Int { get }

  /// Writes all of them, or none.
  func write(_ events: [StreamEvent]) throws(OutputFailure)
  /// Saves what was written against a power cut, or starts to.
  ///
  /// - Returns: false when the last call has not ended yet, so that another one is needed.
  /// - Throws: why this or the last call failed.
  func sync() throws(OutputFailure) -> Bool
  /// Draws again without an event: the terminal has another size.
  func refresh() throws(OutputFailure)
  /// Ends it, and saves what was written against a power cut.
  ///
  /// - Throws: what could not be written or saved.
  func close() throws(OutputFailure)
}

extension OutputSink {
  func sync() throws(OutputFailure) -> Bool { true }
  func refresh() throws(OutputFailure) {}
}

/// Why something cannot be written.
enum OutputFailure: Error {
  /// Trying again may help, as with a full disk.
  case passing(String)
  /// Trying again is useless: the reader has closed the pipe.
  case final(any Error)
}

extension OutputFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .passing(let reason): reason
    case .final(let error): "\(error)"
    }
  }
}
