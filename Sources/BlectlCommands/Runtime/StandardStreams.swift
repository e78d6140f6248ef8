// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import Logging
internal import TerminalOutput

/// Standard input, output and error.
enum StandardStreams {
  /// Opens /dev/null in place of closed ones; call it first.
  ///
  /// Otherwise the next socket we open would get the number of a standard stream, and receive our output.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) returns the lowest free number, which is this one.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }

  /// Whether standard input is a terminal that another job has: reading from it would stop the process.
  static var isInBackground: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp() }
}

extension Promise {
  /// The value, which comes from standard input.
  ///
  /// - Parameters:
  ///   - loop: the loop, on whose thread the caller runs.
  ///   - end: the value if the task is cancelled.
  ///   - read: called whenever there is something to read; fulfils the promise at some time.
  /// - Returns: the value.
  func value(on loop: EventLoop, ifCancelled end: Value, reading read: @escaping () -> Void) async -> Value {
    let source = loop.watch(STDIN_FILENO, for: .readable) { _ in read() }
    defer { loop.unwatch(source) }
    return await value(ifCancelled: end)
  }
}

extension Console {
  /// The console of this process; after a termination signal, it gives up on a reader that has stopped reading.
  ///
  /// - Parameter color: the value of `--color`.
  convenience init(color: ColorMode) { self.init(color: color, patience: { TerminationRequest.patience }) }
}

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
