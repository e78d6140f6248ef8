// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

/// The options that every command takes.
struct CommonOptions: ParsableArguments {
  /// The heading of their part of the help.
  static let title = "Options of every command"

  @Option(
    name: [.customShort("i"), .long],
    help: ArgumentHelp(
      "The adapter: hci0, or its address. Default: $BLECTL_ADAPTER, else the first powered adapter.",
      valueName: "adapter"), completion: LiveCompletion.adapter)
  var adapter: String?

  @Option(
    help: ArgumentHelp(
      "The D-Bus address of the bus that BlueZ is on. Default: the system bus ($DBUS_SYSTEM_BUS_ADDRESS).",
      valueName: "address"))
  var bus: String?

  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp(
      "Another host, over ssh: [USER@]HOST[:PORT]; `scan` takes several. Default: $BLECTL_HOST.",
      valueName: "host"), transform: RemoteHost.init(parsing:))
  var host: [RemoteHost] = []

  @Flag(
    help:
      "Use a private simulated BlueZ with built-in devices, or those of --simulate=WORLD.json. Needs no radio."
  )
  var simulate = false

  /// The value of `--simulate=`; ``SimulateArgument`` puts it here.
  @Option(name: SimulateArgument.name, help: .hidden)
  var world: String?

  /// ``ProfileFiles`` has read them before the arguments are parsed.
  @Option(
    help: ArgumentHelp(
      "A file of your own names and layouts, before those in ~/.config/blectl/profiles; repeatable. Default: $BLECTL_PROFILE.",
      valueName: "file"), completion: .file(extensions: ["json"]))
  var profile: [String] = []

  @Option(
    help: ArgumentHelp(
      "Time limit to find, connect and discover services, then for each operation: 500ms, 10s, 2m; 0 is no limit. (default: 20s)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var timeout: DurationArgument?

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @Option(
    help: ArgumentHelp("When to use colours: auto, always or never. (default: auto)", valueName: "when"),
    completion: .list(ColorMode.allWords), transform: { try ColorMode(word: $0, of: "colour mode") })
  var color = ColorMode.auto

  @Flag(name: .shortAndLong, help: "Print only errors on stderr, no progress or remarks.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the causes of errors; given twice, the D-Bus traffic too.")
  var verbose: Int

  var values: GlobalOptions {
    var values = GlobalOptions()
    (values.adapter, values.bus, values.hosts, values.simulate, values.world) = (
      adapter, bus, host, simulate, world
    )
    (values.json, values.color) = (json, color)
    if let timeout { values.timeout = timeout }
    (values.quiet, values.verbose) = (quiet, verbose)
    return values
  }

  func validate() throws {
    let buses = [simulate ? "--simulate" : nil, bus.map { _ in "--bus" }, host.first.map { _ in "--host" }]
    if case let given = buses.compactMap(\.self), given.count > 1 {
      throw ValidationError("\(given[0]) and \(given[1]) cannot be used together.")
    }
  }
}

/// `--simulate`, alone or with a world: `--simulate=WORLD.json`.
///
/// In ArgumentParser, an option with an optional value takes the next word: in `--simulate DEVICE`, the
/// device. So the part after `=` becomes its own option before the arguments are parsed.
enum SimulateArgument {
  static let name = NameSpecification.customLong("simulate-world")
  private static let prefix = "--simulate="

  /// The arguments as ArgumentParser gets them; those after `--` are not ours.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let ours = arguments[..<end].flatMap { argument in
      guard argument.hasPrefix(prefix) else { return [argument] }
      return ["--simulate", "--simulate-world=\(argument.dropFirst(prefix.count))"]
    }
    return ours + arguments[end...]
  }
}
