// SPDX-License-Identifier: MIT
internal import BLECentral
package import TerminalOutput

/// Formats errors for standard error, the same way for every command.
package enum ErrorReport {
  package static func lines(_ error: CommandError, verbosity: Int) -> [String] {
    var lines = ["blectl: " + TerminalSafe.sentence(error.message)]
    lines += error.details.map { "  " + TerminalSafe.sentence($0) }
    if verbosity > 0 { lines += error.causes.map { "cause: " + TerminalSafe.sentence($0) } }
    if let hint = error.hint { lines.append("hint: " + TerminalSafe.sentence(hint)) }
    return lines
  }

  package static func print(_ error: CommandError, verbosity: Int, on console: Console) {
    for line in lines(error, verbosity: verbosity) { console.note(line) }
  }

  /// The error for the user; nil for errors that end a command silently.
  package static func understood(_ error: any Error, device: String?) -> CommandError? {
    switch error {
    case let error as CommandError: return error
    case let error as BLEError: return error.code == .cancelled ? nil : CommandError(error, device: device)
    case let error as ConsoleError:
      if error == .closed || error == .interrupted { return nil }
      return CommandError(status: .failed, message: "cannot write the output: \(error)")
    case is CancellationError: return nil
    default: return CommandError(status: .failed, message: "cannot continue: \(error)")
    }
  }
}
