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
      "The adapter: hci0, or its address; `proxy` takes several. Default: $BLECTL_ADAPTER, else the first powered adapter.",
      valueName: "adapter"), completion: LiveCompletion.adapter)
  var adapter: [String] = []

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

  /// The value of `--simulate=`; ``OptionalValue`` puts it here.
  @Option(name: .customLong("simulate-world"), help: .hidden)
  var world: String?

  /// ``ProfileFiles`` has read them before the arguments are parsed.
  @Option(
    help: ArgumentHelp(
      "A file of your own names and layouts, before those in ~/.config/blectl/profiles; repeatable. Default: $BLECTL_PROFILE.",
      valueName: "file"), completion: .file(extensions: ["json"]))
  var profile: [String] = []

  @Option(
    help: ArgumentHelp(
      "The file of your keys, for encrypted sensors and private addresses. Default: $BLECTL_KEYS, else ~/.config/blectl/keys.json.",
      valueName: "file"), completion: .file())
  var keys: String?

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

  @Flag(
    name: .shortAndLong,
    help: "Print the causes of errors and what is retried; given twice, the D-Bus traffic too.")
  var verbose: Int

  var values: GlobalOptions {
    var values = GlobalOptions()
    (values.adapter, values.bus, values.hosts, values.simulate, values.world) = (
      adapter.last, bus, host, simulate, world
    )
    (values.keys, values.json, values.color) = (keys, json, color)
    if let timeout { values.timeout = timeout }
    (values.quiet, values.verbose) = (quiet, verbose)
    return values
  }

  /// An option that was given and has a meaning only with Bluetooth; nil if there is none.
  var givenForBluetooth: String? {
    if !adapter.isEmpty { return "--adapter" }
    if bus != nil { return "--bus" }
    if !host.isEmpty { return "--host" }
    if simulate || world != nil { return "--simulate" }
    return timeout == nil ? nil : "--timeout"
  }

  func validate() throws {
    let buses = [simulate ? "--simulate" : nil, bus.map { _ in "--bus" }, host.first.map { _ in "--host" }]
    if case let given = buses.compactMap(\.self), given.count > 1 {
      throw ValidationError("\(given[0]) and \(given[1]) cannot be used together.")
    }
  }
}

/// The command that is run for records.
struct ExecOptions: ParsableArguments {
  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp("Run this shell command for each record instead of printing it.", valueName: "cmd"))
  var command: String?
  @Option(help: ArgumentHelp("Run up to this many commands of --exec at once. (default: 1)", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...64).contains(jobs) {
      throw ValidationError("--jobs must be between 1 and 64, not \(jobs).")
    }
    if jobs != nil, command == nil { throw ValidationError("--jobs needs --exec.") }
    try Self.require(command)
  }

  /// Refuses an empty command, such as that of an unset variable: it would do nothing, and nothing be printed.
  static func require(_ command: String?) throws {
    if let command, command.allSatisfy(\.isWhitespace) {
      throw ValidationError("the command of --exec is empty.")
    }
  }
}
