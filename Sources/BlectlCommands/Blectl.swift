// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// The root command.
struct Blectl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blectl",
    abstract: "Bluetooth Low Energy for the Linux shell.",
    discussion: """
      blectl scan --simulate
      blectl services 'MI Band 2' --simulate
      blectl read 'MI Band 2' 2a28 --as utf8 --simulate
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate

      Data goes to stdout: a table on a terminal, tab-separated lines in a pipe, one JSON object a line with --json.

      Exit status: 0 done, 1 the operation failed, 3 Bluetooth is not available, 4 not found or ambiguous, 5 timed \
      out, 64 usage; 130, 143 and 141 after SIGINT, SIGTERM and SIGPIPE.

      Environment: BLECTL_ADAPTER, DBUS_SYSTEM_BUS_ADDRESS, NO_COLOR.
      """,
    version: "blectl \(version)",
    subcommands: [
      ScanCommand.self, DevicesCommand.self, InfoCommand.self, ConnectCommand.self, DisconnectCommand.self,
      ServicesCommand.self, ReadCommand.self, WriteCommand.self, SubscribeCommand.self, AdapterCommand.self,
      SnapshotCommand.self, SimulateCommand.self, UUIDCommand.self, DecodeCommand.self, DoctorCommand.self,
      MonitorCommand.self,
    ])

  /// The version of this tool; CHANGELOG.md tells what is in it.
  static let version = "0.1.0"
}
