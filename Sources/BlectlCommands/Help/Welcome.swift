// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The output of `blectl` without arguments: the most common tasks, each with a command that works without a radio.
enum Welcome {
  static let tasks: [(task: String, command: String)] = [
    ("See devices nearby", "blectl scan --simulate"),
    ("Show the services of a device", "blectl services 'MI Band 2' --simulate"),
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
