// SPDX-License-Identifier: MIT
internal import Logging
internal import TerminalOutput

/// Writes the library's log to stderr, one line per message: remarks for `-v`, everything for `-vv`.
struct ConsoleLogHandler: LogHandler {
  let console: Console
  var logLevel = Logger.Level.critical
  var metadata = Logger.Metadata()

  init(console: Console) { self.console = console }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let text = TerminalSafe.escaped(event.message.description)
    console.note(event.level == .info ? text : "\(event.level): \(text)")
  }
}
