// SPDX-License-Identifier: MIT
internal import JSON
package import TerminalOutput

/// Writes records to the output: as JSON, or as the lines that were made of them.
package final class RecordOutput: OutputSink {
  package let name = "the output"
  package let interval = Duration.milliseconds(2)
  package let batchCost = 64 * 1024
  private let console: Console
  private let isJSON: Bool

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    var bytes: [UInt8] = []
    var json = EventJSON()
    for event in events {
      if case .line(let line) = event { bytes += line } else if isJSON { json.append(event, to: &bytes) }
    }
    do throws(ConsoleError) { try console.write(bytes: bytes) } catch { throw .final(error) }
  }

  package func close() {}
}
