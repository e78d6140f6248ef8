// SPDX-License-Identifier: MIT

/// The variables of the environment that every command heeds: help and the manual list them from here.
enum EnvironmentVariable {
  static let all: [(name: String, meaning: String)] = [
    ("BLECTL_ADAPTER", "The adapter, where --adapter is not given."),
    ("DBUS_SYSTEM_BUS_ADDRESS", "The bus that BlueZ is on, where --bus is not given."),
    ("NO_COLOR", "No colours, unless --color is given."),
    ("CLICOLOR_FORCE", "Colours also where the output is no terminal."),
    ("COLUMNS, LINES", "The size of the terminal, where it shall be another."),
    ("TMPDIR", "Where a simulation has its bus. (default: /tmp)"),
  ]
}
