// SPDX-License-Identifier: MIT
package import TerminalOutput

/// Writes records to the output as JSON, or as given lines.
package final class RecordOutput: ConsoleSink {
  package let console: Console
  private let isJSON: Bool

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    var json = EventJSON()
    for event in events {
      if case .line(let line) = event { bytes += line } else if isJSON { json.append(event, to: &bytes) }
    }
  }
}
