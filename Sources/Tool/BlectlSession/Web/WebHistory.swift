// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import Histories
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams
internal import WebServer

/// The values in the log of a command from before the command began.
///
/// The page gets them beside the records.
package struct WebHistory: Sendable {
  /// The path of a database.
  private let path: String
  /// The maximum age of a value, in seconds; nil for no limit.
  private let length: Double?

  package init(log path: String, length: Double?) { (self.path, self.length) = (path, length) }

  /// Gives it to a page, on a thread of its own, since a long log takes seconds to read.
  ///
  /// It ends early when `isOver` says so. A log that cannot be read is reported, and the page has only what comes from now on.
  func send(
    to page: PageServer, report: @escaping @Sendable (String) -> Void,
    unless isOver: @escaping @Sendable () -> Bool
  ) {
    WorkerThread.start {
      do throws(OutputError) {
        try read(unless: isOver) { page.take($0) }
      } catch {
        report("the page cannot show what \(TerminalSafe.escaped(path)) has of the time before: \(error)")
      }
      page.endPast()
    }
  }

  /// Gives each number of the log to `body`; a log that is not there yet has none.
  private func read(unless isOver: () -> Bool, _ body: (PastNumbers) -> Void) throws(OutputError) {
    guard let real = realpath(path, nil) else { return }
    defer { free(real) }
    let since = length.map { Double(Timestamp.now.seconds) - $0 } ?? -Double.infinity
    let history = try SQLiteHistory(path: String(cString: real), since: since)
    try history.read(while: { !isOver() }, body)
  }
}
