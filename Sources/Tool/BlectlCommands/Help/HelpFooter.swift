// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import TerminalOutput

/// The end of `blectl --help`: the environment and the exit statuses, which all commands share.
enum HelpFooter {
  static var paragraphs: [String] {
    let environment = EnvironmentVariable.all.map { line($0.name, $0.meaning) }
    let statuses = ExitStatus.table.map { line($0.status, $0.meaning) }
    return [
      "ENVIRONMENT:\n" + environment.joined(separator: "\n"),
      "EXIT STATUS:\n" + statuses.joined(separator: "\n"),
    ]
  }

  /// The extensions in PATH; nil if there are none.
  static func paragraph(of extensions: [Extension]) -> String? {
    guard !extensions.isEmpty else { return nil }
    let lines = extensions.map { line(TerminalSafe.escaped($0.name), TerminalSafe.escaped($0.path)) }
    return "EXTENSIONS:\n" + lines.joined(separator: "\n")
  }

  private static func line(_ name: String, _ meaning: String) -> String {
    DisplayWidth.padded("  " + name, to: HelpPage.textColumn) + meaning
  }
}

extension ExitStatus {
  /// Abridged from docs/exit-status-and-errors.md.
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
      + [("129, 130, 143, 141", "ended by SIGHUP, SIGINT, SIGTERM or SIGPIPE")]
  }
}

/// The environment variables that every command reads, for help and the manual.
enum EnvironmentVariable {
  static let all: [(name: String, meaning: String)] = [
    ("BLECTL_ADAPTER", "The adapter, unless --adapter is given."),
    (KnownObjects.limitVariable, "How long completion may ask BlueZ. (default: 75ms)"),
    ("BLECTL_HOST", "Another host, unless an option names a bus."),
    ("BLECTL_PROFILE", "Profiles, names of your own: FILE or FILE:FILE…"),
    ("DBUS_SYSTEM_BUS_ADDRESS", "The bus that BlueZ is on, unless --bus is given."),
    ("NO_COLOR", "No colours, unless --color is given."),
    ("CLICOLOR_FORCE", "Colours even if the output is not a terminal."),
    ("COLUMNS, LINES", "The size of the terminal, if not the detected one."),
    ("TMPDIR", "Where the bus of a simulation is. (default: /tmp)"),
  ]
}

/// The output of `blectl` without arguments: common tasks, each with a command that works without a radio.
enum Welcome {
  static let tasks: [(task: String, command: String)] = [
    ("See devices nearby", "blectl scan --simulate"),
    ("Show its services", "blectl services 'MI Band 2' --simulate"),
    ("Read a value", "blectl read 'MI Band 2' 2a28 --simulate"),
    ("Write a value", "blectl write 'MI Band 2' fed3 utf8:hi --simulate"),
    ("Subscribe to values", "blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate"),
    ("Diagnose problems", "blectl doctor --simulate"),
  ]

  static var text: String {
    let width = tasks.map(\.task.count).max() ?? 0
    let rows = tasks.map { "  " + DisplayWidth.padded($0.task, to: width) + "  " + $0.command }
    return """
      Bluetooth Low Energy for the Linux shell.

      \(rows.joined(separator: "\n"))

      --simulate provides simulated devices; leave it out to use real ones.
      'blectl help' lists all commands, 'blectl COMMAND --help' explains one.
      """
  }
}
