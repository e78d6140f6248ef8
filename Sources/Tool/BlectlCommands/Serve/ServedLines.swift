// SPDX-License-Identifier: MIT
internal import BLECentral
package import TerminalOutput
package import ValueStreams

/// Prints the events of a served peripheral: JSON, or a line each.
package final class ServedLines: ConsoleSink {
  package let console: Console
  private let isJSON: Bool
  private var json = EventJSON()

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    for event in events {
      if isJSON {
        json.append(event, to: &bytes)
      } else if case .served(let record) = event {
        bytes += (line(record) + "\n").utf8
      }
    }
  }

  private func line(_ record: ServedRecord) -> String {
    let attribute = record.attribute.map {
      $0.descriptor.map { "\($0)" } ?? "\($0.service)/\($0.characteristic)"
    }
    let fields = [
      record.event.rawValue, record.address.map { "\($0)" } ?? "", record.name ?? "", attribute ?? "",
    ]
    guard console.output.isTerminal else {
      let detail = record.error.map { "\($0)" } ?? record.value.map { Hex.string($0) } ?? ""
      return TabSeparated.line([record.time.utc] + fields + [detail])
    }
    let shown = fields.filter { !$0.isEmpty }.map { TerminalSafe.escaped($0) }
    let detail =
      record.error.map { "\($0)" } ?? record.value.map { TerminalValue.text(of: $0, record.decoded) }
    let time = console.output.style.apply(.dim, to: record.time.local)
    return ([time] + shown + (detail.map { [$0] } ?? [])).joined(separator: "  ")
  }
}
