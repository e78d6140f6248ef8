// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLEUpdate
internal import BLEWorld
internal import BlectlArguments
internal import BlectlSession
internal import BlueZSimulator
internal import Glibc
internal import PeripheralEmulator
internal import TerminalOutput

struct SimulateCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", _superCommandName: Blectl.name,
    abstract: "Run a simulated BlueZ on a private bus for BlueZ clients.",
    discussion: """
      blectl simulate -- blectl scan --count 3
      blectl snapshot Piano --simulate > piano.json
      blectl simulate piano.json -- blectl services Piano
      blectl simulate --bluez 5.82 -- blectl adapter show

      The command can be any BlueZ client, such as bluetoothctl or a Python script with bleak. Without a command, the \
      simulation prints its address and runs until Ctrl-C.

      A world file can contain faults. While the simulation runs, --control accepts them as one JSON object per line, such \
      as {"do":"drop-link","device":"C8:0F:10:01:02:03"}; {"do":"state"} prints the current state. docs/faults.md lists \
      all faults.
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with the devices to simulate; the default is a few built-in devices.", valueName: "world.json"),
    completion: .file(extensions: ["json"]))
  var world: String?
  @Argument(
    parsing: .postTerminator,
    help: "The command to run with DBUS_SYSTEM_BUS_ADDRESS set; without one, the address is printed.")
  var command: [String] = []
  @Option(
    help: ArgumentHelp(
      "Accept commands on a new Unix socket at this path, which COMMAND finds in BLECTL_SIMULATE_CONTROL, or on standard input (-).",
      valueName: "path"),
    completion: .file())
  var control: String?
  @Option(
    help: ArgumentHelp(
      "How many adapters the computer has, 1 to 8; the default is what the world says. They hear each other.",
      valueName: "count"))
  var adapters: Int?
  @Option(
    help: ArgumentHelp(
      "The version of BlueZ to imitate: 5.66, 5.82 or 5.87; the default is what the world says, else 5.66.",
      valueName: "version"),
    completion: .list(BlueZRelease.allWords),
    transform: { try BlueZRelease(word: $0, of: "version of BlueZ") })
  var bluez: BlueZRelease?
  @Option(
    help: ArgumentHelp(
      "Print firmware for the devices of the built-in world 'update', instead: smp, secure-dfu or legacy-dfu.",
      valueName: "kind"),
    completion: .list(UpdateMethod.allWords),
    transform: { try UpdateMethod(word: $0, of: "kind of firmware") })
  var firmware: UpdateMethod?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  /// Returns the index of the first word of a command that has no `--` before it; nil if there is none.
  static func bareCommand(in words: [String]) -> Int? {
    if words.contains("--") { return nil }
    let isWorld = { (word: String) in
      let isData = FileStatus.exists(word) && access(word, X_OK) != 0
      return word.hasSuffix(".json") || isData || World.named(word) != nil
    }
    let plain = words.indices.filter { index in
      let isOperand =
        index > 0 && ["--control", "--adapters", "--bluez", "--firmware"].contains(words[index - 1])
      return !words[index].hasPrefix("-") && !isOperand
    }
    guard let first = plain.first else { return nil }
    return isWorld(words[first]) ? plain.dropFirst().first : first
  }

  func validate() throws {
    // Where the whole line can be parsed, the command is one word.
    if let world, Self.bareCommand(in: [world]) != nil, !world.contains("/") {
      throw ValidationError("\(world) is no world file; a command to run stands behind '--'")
    }
    if firmware != nil, world != nil || !command.isEmpty || control != nil || adapters != nil || bluez != nil
    {
      throw ValidationError("--firmware prints a file and simulates nothing: it stands alone")
    }
    if let adapters, !(1...8).contains(adapters) {
      throw ValidationError("--adapters must be between 1 and 8, not \(adapters)")
    }
    if control == "-", !command.isEmpty {
      throw ValidationError("--control - and COMMAND cannot be used together: both read standard input")
    }
    if common.simulate || common.bus != nil || !common.host.isEmpty {
      throw ValidationError("--simulate, --bus and --host do not apply: the simulation has its own bus")
    }
  }

  func run(in context: CommandContext) async throws {
    if let firmware { return try print(firmware, context) }
    let simulated = try await context.bus.simulate(world, adapters: adapters, bluez: bluez)
    if control == "-" { return try await runByInput(simulated, context) }
    let server = try await listen(simulated)
    do {
      try await run(simulated, context)
    } catch {
      await server?.stop()
      throw error
    }
    await server?.stop()
  }

  private func run(_ simulated: SimulatedBus, _ context: CommandContext) async throws {
    guard !command.isEmpty else {
      try printAddress(simulated, context)
      while true { try await context.loop.sleep(for: .seconds(3600)) }
    }
    var environment = ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address]
    environment["BLECTL_SIMULATE_CONTROL"] = control
    let child = try ChildCommand(command, environment: environment)
    let ending = try await child.wait(on: context.loop)
    switch ending {
    case .exited(0): return
    case .exited(let status): throw ChildEnded(status: status)
    case .signalled(let number): throw ChildEnded(status: 128 + number)
    }
  }

  private func printAddress(_ simulated: SimulatedBus, _ context: CommandContext) throws {
    try context.console.write(line: "DBUS_SYSTEM_BUS_ADDRESS=\(simulated.address)")
    context.remark("a simulated BlueZ is running; press Ctrl-C to stop it")
  }

  /// Prints version 2.0.0 for the simulated devices of the world `update`: well formed, but no processor can run it.
  private func print(_ firmware: UpdateMethod, _ context: CommandContext) throws {
    if context.console.output.isTerminal {
      throw CommandError.usage(
        "cannot print firmware on a terminal: it is not text",
        hint: "blectl simulate --firmware \(firmware.rawValue) >FILE")
    }
    let code = SampleFirmware.code(12_000)
    let bytes =
      switch firmware {
      case .smp: SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: code.count)
      case .secureDFU: SampleFirmware.package(.secure, of: code, version: 20_000)
      case .legacyDFU: SampleFirmware.package(.legacy, of: code, version: 20_000)
      }
    try context.console.write(bytes: bytes)
  }

  // MARK: Control

  private func listen(_ simulated: SimulatedBus) async throws -> ControlServer? {
    guard let control else { return nil }
    do throws(ControlSocketError) {
      return try await ControlServer.listen(at: control, for: simulated.simulator)
    } catch {
      throw CommandError(status: .failed, message: "cannot create the socket \(control): \(error)")
    }
  }

  /// Answers on standard output until the end of the input.
  private func runByInput(_ simulated: SimulatedBus, _ context: CommandContext) async throws {
    try printAddress(simulated, context)
    let end = Promise<Void>()
    let server = await ControlServer.read(
      from: STDIN_FILENO, answeringTo: STDOUT_FILENO, for: simulated.simulator
    ) { end.fulfil(()) }
    await end.value(ifCancelled: ())
    await server.stop()
    try Task.checkCancellation()
  }
}

/// The command ended with a status that becomes ours.
struct ChildEnded: Error {
  let status: Int32
}
