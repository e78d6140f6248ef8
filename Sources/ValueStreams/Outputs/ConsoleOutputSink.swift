// SPDX-License-Identifier: MIT
package import TerminalOutput

/// Writes events to the output: JSON, lines, or the bytes themselves.
package final class ConsoleOutputSink: ConsoleSink {
  package let style: ValueStyle
  package let console: Console
  private var json: EventJSON
  private var lines: ValueLines
  private var bytes: [UInt8] = []

  package init(_ console: Console, _ style: ValueStyle) {
    self.console = console
    self.style = style
    json = EventJSON(format: style.format)
    lines = ValueLines(style, isTerminal: console.output.isTerminal)
  }

  /// Writes events of a command without a stream at once.
  package func print(_ events: [StreamEvent]) throws(ConsoleError) {
    bytes.removeAll(keepingCapacity: true)
    append(events, to: &bytes)
    try console.write(bytes: bytes)
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    for event in events {
      // Lines have only values: link events go to stderr when they happen.
      if style.isJSON {
        json.append(event, to: &bytes)
      } else if case .values(let batch) = event {
        lines.append(batch, to: &bytes)
      }
    }
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    do throws(ConsoleError) { try print(events) } catch { throw .final(error) }
  }
}
