// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The end of every help text: the environment and the exit statuses, which all commands share.
enum HelpFooter {
  private static let nameWidth = 24

  /// ArgumentParser's text with the footer.
  static func append(to help: String) -> String {
    let environment = EnvironmentVariable.all.map {
      "  " + DisplayWidth.padded($0.name, to: nameWidth) + $0.meaning
    }
    let statuses = ExitStatus.table.map { "  " + DisplayWidth.padded($0.status, to: nameWidth) + $0.meaning }
    let end = help.lastIndex { $0 != "\n" } ?? help.startIndex
    return """
      \(help[...end])

      ENVIRONMENT:
      \(environment.joined(separator: "\n"))

      EXIT STATUS:
      \(statuses.joined(separator: "\n"))
      """
  }
}

extension ExitStatus {
  /// What each status means, abridged from docs/exit-status-and-errors.md.
  var meaning: String {
    switch self {
    case .done: "success, also when a scan finds nothing"
    case .failed: "the operation failed; usually the device refused it"
    case .unavailable: "Bluetooth is not available"
    case .notFound: "not found, or ambiguous"
    case .timedOut: "timed out"
    case .usage: "the command line is wrong; nothing was sent"
    }
  }

  static var table: [(status: String, meaning: String)] {
    allCases.map { ("\($0.rawValue)", $0.meaning) }
      + [("129, 130, 143, 141", "ended by SIGHUP, SIGINT, SIGTERM or SIGPIPE, after cleaning up")]
  }
}
