// SPDX-License-Identifier: MIT
package import TerminalOutput
package import ValueStreams

/// Writes the lines of a log to the output, for a program that reads them.
package final class LineOutput: OutputSink {
  package let name = "the output"
  package let interval = Duration.milliseconds(2)
  package let batchCost = 64 * 1024
  private let console: Console
  private var format: any TextLogFormat

  package init(_ console: Console, format: any TextLogFormat) {
    self.console = console
    self.format = format
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    var bytes: [UInt8] = []
    for event in events { format.append(event, to: &bytes) }
    do throws(ConsoleError) { try console.write(bytes: bytes) } catch { throw .final(error) }
  }

  package func close() {}
}
