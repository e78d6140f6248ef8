// SPDX-License-Identifier: MIT

/// What `blectl` alone says: the commonest tasks, each with a command that works without a radio.
enum Welcome {
  static let tasks: [(task: String, command: String)] = [
    ("See what is near", "blectl scan --simulate"),
    ("See what a device offers", "blectl services 'MI Band 2' --simulate"),
    ("Read a value", "blectl read 'MI Band 2' 2a28 --simulate"),
    ("Write a value", "blectl write 'MI Band 2' fed3 utf8:hi --simulate"),
    ("Follow values", "blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate"),
    ("Find out what is wrong", "blectl doctor --simulate"),
  ]

  static var text: String {
    let width = tasks.map(\.task.count).max() ?? 0
    let rows = tasks.map { "  " + DisplayWidth.padded($0.task, to: width) + "  " + $0.command }
    return """
      Bluetooth Low Energy for the Linux shell.

      \(rows.joined(separator: "\n"))

      --simulate brings devices that need no radio; leave it out for those around you.
      'blectl help' lists all commands, 'blectl COMMAND --help' tells more about one.
      """
  }
}
