// SPDX-License-Identifier: MIT
package import TerminalOutput

/// An output to the console, which only formats events.
package protocol ConsoleSink: OutputSink {
  var console: Console { get }

  func append(_ events: [StreamEvent], to bytes: inout [UInt8])
}

extension ConsoleSink {
  package var name: String { "the output" }
  /// Imperceptible, and lets a fast stream write many values per system call.
  package var interval: Duration { .milliseconds(2) }
  package var batchCost: Int { 64 * 1024 }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    var bytes: [UInt8] = []
    append(events, to: &bytes)
    do throws(ConsoleError) { try console.write(bytes: bytes) } catch { throw .final(error) }
  }

  package func close() {}
}
