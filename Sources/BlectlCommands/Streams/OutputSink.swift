// SPDX-License-Identifier: MIT

/// What a worker writes to: the output, or a log.
///
/// Used by the worker's thread only, once the worker is made.
protocol OutputSink: AnyObject {
  /// What people call it.
  var name: String { get }
  /// How long two writes lie apart at least, unless much waits: what comes meanwhile is written together.
  ///
  /// What comes after a longer pause is written at once.
  var interval: Duration { get }
  /// How much is written together at most, in bytes of ``StreamEvent/cost``.
  var batchCost: Int { get }

  /// Writes all of them, or none.
  func write(_ events: [StreamEvent]) throws(OutputFailure)
  /// Makes what was written outlast a power cut, or begins to.
  ///
  /// - Returns: false when it must be asked for again: the last time has not ended yet.
  /// - Throws: why that failed, or the last time did.
  func sync() throws(OutputFailure) -> Bool
  /// Something else than an event asks for another look: the terminal has got another size.
  func refresh() throws(OutputFailure)
  /// The end; nothing is written any more, and what was written outlasts a power cut.
  ///
  /// - Throws: what could not be written or saved at the end.
  func close() throws(OutputFailure)
}

extension OutputSink {
  func sync() throws(OutputFailure) -> Bool { true }
  func refresh() throws(OutputFailure) {}
}

/// Why something cannot be written.
enum OutputFailure: Error {
  /// Trying again may help: a full disk.
  case passing(String)
  /// Nothing helps: the reader has gone.
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
