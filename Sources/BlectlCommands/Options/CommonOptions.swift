// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// The options that every command takes.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("i"), .long],
    help: ArgumentHelp(
      "The adapter: hci0, or its address. Default: $BLECTL_ADAPTER, else the first that is on.",
      valueName: "adapter"), completion: LiveCompletion.adapter)
  var adapter: String?

  @Option(
    help: ArgumentHelp(
      "The D-Bus address that BlueZ is on. Default: the system bus ($DBUS_SYSTEM_BUS_ADDRESS).",
      valueName: "address"))
  var bus: String?

  @Flag(
    help:
      "Use a private simulated BlueZ with a few devices, or with those of --simulate=WORLD.json: no radio needed."
  )
  var simulate = false

  /// What stands behind `--simulate=`; ``SimulateArgument`` puts it here.
  @Option(name: SimulateArgument.name, help: .hidden)
  var world: String?

  @Option(
    help: ArgumentHelp(
      "How long to find, connect and resolve, then for each operation: 500ms, 10s, 2m; 0 is no limit. (default: 20s)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var timeout = DurationArgument(.seconds(20))

  @Flag(help: "One JSON object a line.")
  var json = false

  @Option(help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
  var color = ColorMode.auto

  @Flag(name: .shortAndLong, help: "No progress and no remarks on stderr; errors only.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "More about errors; twice: the D-Bus traffic.")
  var verbose: Int

  func validate() throws {
    if simulate, bus != nil { throw ValidationError("--simulate brings its own bus: leave --bus out.") }
  }
}
