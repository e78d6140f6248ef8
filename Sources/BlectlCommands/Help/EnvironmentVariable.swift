// SPDX-License-Identifier: MIT

/// The environment variables that commands read, for help and the manual.
enum EnvironmentVariable {
  static let all: [(name: String, meaning: String)] = [
    ("BLECTL_ADAPTER", "The adapter, unless --adapter is given."),
    ("BLECTL_HOST", "Another host, unless --host, --bus or --simulate is given."),
    ("BLECTL_MQTT_PASSWORD", "The password for --log mqtt://USER@…."),
    ("BLECTL_MQTT_PASSWORD_FILE", "A file with that password, in its first line."),
    ("BLECTL_MQTT_CA_FILE", "A file with the certificates that --log mqtts://… trusts."),
    ("DBUS_SYSTEM_BUS_ADDRESS", "The bus that BlueZ is on, unless --bus is given."),
    ("NO_COLOR", "No colours, unless --color is given."),
    ("CLICOLOR_FORCE", "Colours even if the output is not a terminal."),
    ("COLUMNS, LINES", "The size of the terminal, overriding the detected one."),
    ("TMPDIR", "The directory for the bus of a simulation. (default: /tmp)"),
  ]
}
