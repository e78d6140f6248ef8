// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import TerminalOutput

/// The root command.
struct Blectl: ParsableCommand {
  /// The name of the tool.
  ///
  /// Commands name it in their configurations, too: ArgumentParser then does not first try to parse their arguments
  /// as a request for completion scripts, which adds an eighth to the instructions of a start.
  static let name = "blectl"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Bluetooth Low Energy for the Linux shell.",
    discussion: """
      blectl scan --simulate
      blectl services 'MI Band 2' --simulate
      blectl read 'MI Band 2' 2a28 --as utf8 --simulate
      blectl write 'MI Band 2' fed3 utf8:hi --simulate
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate
      blectl doctor --simulate

      Data goes to stdout: a table on a terminal, tab-separated lines in a pipe, one JSON object per line with --json.
      """,
    version: "blectl \(version)",
    subcommands: commands.map { $0 as any ParsableCommand.Type } + [HelpCommand.self])

  /// All but the help, by what they are for.
  static let groups: [(title: String, commands: [any BlectlCommand.Type])] = [
    ("Look", [ScanCommand.self, DevicesCommand.self, InfoCommand.self, ServicesCommand.self]),
    (
      "Use",
      [
        ReadCommand.self, WriteCommand.self, ConnectCommand.self, DisconnectCommand.self, SendCommand.self,
        ReceiveCommand.self, SerialCommand.self, UpdateCommand.self, SMPCommand.self,
      ]
    ),
    ("Log", [SubscribeCommand.self, ListenCommand.self, MonitorCommand.self, ProxyCommand.self]),
    ("Automate", [RunCommand.self, ShellCommand.self]),
    (
      "Pair",
      [
        PairCommand.self, UnpairCommand.self, TrustCommand.self, UntrustCommand.self, BlockCommand.self,
        UnblockCommand.self, AgentCommand.self,
      ]
    ),
    ("Be a device", [ServeCommand.self, AdvertiseCommand.self, SimulateCommand.self, SnapshotCommand.self]),
    ("Radio", [DoctorCommand.self, AdapterCommand.self, LinkCommand.self, BenchCommand.self]),
    (
      "Offline",
      [
        DecodeCommand.self, FirmwareCommand.self, UUIDCommand.self, ProfileCommand.self, KeysCommand.self,
      ]
    ),
  ]

  /// A cast to this type, and one of the whole array from it, would take the runtime long.
  private static let commands = groups.flatMap(\.commands)

  /// CHANGELOG.md lists the changes.
  static let version = ReleaseVersion.number

  /// Without aliases, in the order of the help.
  static var commandNames: [String] { configuration.subcommands.map { $0._commandName } }

  /// Including aliases.
  static var commandWords: [String] { configuration.subcommands.flatMap { $0.words } }

  /// The folders of the programs that run as commands.
  static var extensions: ExtensionFolders {
    ExtensionFolders(path: Console.environment("PATH"), without: commandWords)
  }

  /// The commands of scripts and of the shell.
  static var grammar: CommandGrammar {
    CommandGrammar(
      configuration.subcommands,
      withoutInShell: [
        ShellCommand.self, RunCommand.self, SimulateCommand.self, SerialCommand.self, ServeCommand.self,
        ProxyCommand.self, KeysCommand.self, ProfileCommand.self, UpdateCommand.self,
      ])
  }

  /// The command with a name or an alias, unless it is the help.
  static func blectlCommand(named name: String) -> (any BlectlCommand.Type)? {
    commands.first { $0.words.contains(name) }
  }

  /// The command with a name or an alias.
  static func command(named name: String) -> (any ParsableCommand.Type)? {
    blectlCommand(named: name) ?? (HelpCommand.words.contains(name) ? HelpCommand.self : nil)
  }
}

extension ParsableCommand {
  /// The name of the command and its aliases.
  static var words: [String] { [_commandName] + configuration.aliases }
}
