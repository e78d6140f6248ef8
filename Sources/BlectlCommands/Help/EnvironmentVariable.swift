// SPDX-License-Identifier: MIT

/// The environment variables that every command reads, for help and the manual.
enum EnvironmentVariable {
  static let all: [(name: String, meaning: String)] = [
    ("BLECTL_ADAPTER", "The adapter, unless --adapter is given."),
    ("BLECTL_HOST", "Another host, unless --host, --bus or --simulate is given."),
    ("DBUS_SYSTEM_BUS_ADDRESS", "The bus that BlueZ is on, unless --bus is given."),
    ("NO_COLOR", "No colours, unless --color is given."),
    ("CLICOLOR_FORCE", "Colours even if the output is not a terminal."),
    ("COLUMNS, LINES", "The size of the terminal, overriding the detected one."),
    ("TMPDIR", "The directory for the bus of a simulation. (default: /tmp)"),
  ]
}
