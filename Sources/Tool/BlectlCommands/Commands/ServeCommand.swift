// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlectlArguments
internal import BlectlSession
internal import PeripheralEmulator
internal import TerminalOutput
internal import ValueStreams

struct ServeCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", _superCommandName: Blectl.name,
    abstract: "Be a peripheral: a device of a world file, or a serial port.",
    discussion: """
      blectl serve 'Heart Strap' --simulate -- blectl read 'Heart Strap' 2a19
      blectl snapshot Piano --simulate > piano.json
      blectl serve piano.json --simulate --duration 1s
      echo '2a19 u8:40' | blectl serve 'Heart Strap' --simulate --json --duration 1s

      Other devices find the adapter under the name of the device, connect, read, write and subscribe. Values count, swing \
      or are replayed as in 'simulate'; each request of a central is printed. Ctrl-C takes the device off the air.

      A line on standard input, such as '2a19 u8:40', sets a value and sends it to the subscribers. With --exec, /bin/sh \
      runs a command once per written value, one at a time and in order. It gets the JSON record on its standard input, and \
      BLECTL_VALUE (hex digits), BLECTL_SERVICE, BLECTL_CHARACTERISTIC, BLECTL_ADDRESS and BLECTL_NAME in its environment; \
      only its output is printed. --control accepts the commands of 'simulate --control' that a real adapter can play.

      With --simulate, a simulated computer with two adapters takes the place of BlueZ: the device is served by one of \
      them, and any BlueZ client can connect from the other.

      With --serial, this machine is a serial port over Bluetooth: 'serve --serial -- bash' is a console into it. There is no \
      login, but only paired devices may use it.
      """)

  @Argument(
    help: ArgumentHelp("A world file, or the name of a built-in device.", valueName: "world.json"),
    completion: .file(extensions: ["json"]))
  var world: String?
  @Argument(help: "Which device of the file: its name or address. Default: the only one.")
  var peripheral: String?
  @Argument(
    parsing: .postTerminator,
    help: """
      Serve only while this command runs, which gets standard input and output; records go to standard error. With --simulate, it finds the \
      simulated BlueZ, and uses the other adapter.
      """)
  var command: [String] = []
  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp(
      "Run this shell command for each written value instead of printing what happens.", valueName: "cmd"))
  var hook: String?
  @Option(
    help: ArgumentHelp("Accept commands on a new Unix socket at this path.", valueName: "path"),
    completion: .file())
  var control: String?
  @Option(
    help: ArgumentHelp("How long to serve; 0 is no limit. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @OptionGroup var port: ServeSerialOptions
  @OptionGroup(title: "Logs") var log: LogOptions
  @OptionGroup(title: "Page") var page: WebOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    try port.validate(command: command, world: world)
    try ExecOptions.require(hook)
    let forWorld = [
      hook.map { _ in "--exec" }, control.map { _ in "--control" }, log.logs.isEmpty ? nil : "--log",
      page.web.map { _ in "--web" },
    ]
    if port.serial, let option = forWorld.compactMap(\.self).first {
      throw ValidationError("--serial and \(option) cannot be used together.")
    }
    try log.requireOutput(unless: ["--exec": hook != nil, "--json": common.json])
  }

  func run(in context: CommandContext) async throws {
    guard let world else {
      return try await port.run(command, buffer: log.buffer.bytes, for: duration.limit, in: context)
    }
    let chosen = try ServedWorld(world, peripheral)
    if let reason = EmulatedPeripheral.refusal(of: chosen.peripheral) {
      throw CommandError.usage(
        "cannot serve \(chosen.peripheral.advertisement.name ?? chosen.peripheral.address): \(reason)")
    }
    let played = EmulatedPeripheral(chosen.peripheral, events: chosen.events, on: context.loop)
    let device = ProfileSubject(
      address: BluetoothAddress(chosen.peripheral.address), name: chosen.peripheral.advertisement.name)
    let written = ExpectedValues(columns: played.services.writtenKeys(of: device))
    let sinks = try await log.sinks(for: written, in: context)
    let simulated = common.simulate ? try await SimulatedRadio(in: context) : nil
    let manager = try await context.bus.peripheralManager(adapter: simulated?.server)
    let outputs = StreamOutputs(
      [hook == nil && !log.takesOutput ? lines(on: context.console) : nil].compactMap(\.self) + sinks,
      buffer: log.buffer, page: try page.open(for: Self._commandName, hears: false, beside: log, in: context),
      context: context)
    let server = PeripheralServer(
      played, manager, outputs: outputs, hook: try await ExecHook(hook, in: context),
      isControlled: control != nil,
      context: context)
    let serving = context.loop.confinedWork {
      do {
        try await run(server, simulated, context)
      } catch {
        try? await server.close()
        throw error
      }
      try await server.close()
    }
    try await outputs.collect(serving)
  }

  /// Prints the records, but not to the standard output of a command; in that case, --quiet omits them.
  private func lines(on console: Console) -> ServedLines? {
    if command.isEmpty { return ServedLines(console, isJSON: common.json) }
    return common.quiet ? nil : ServedLines(console.onErrors, isJSON: common.json)
  }

  private func run(
    _ server: PeripheralServer, _ simulated: SimulatedRadio?, _ context: CommandContext
  ) async throws {
    let controlled = try await listen(server)
    do {
      try await context.showingProgress("publishing \(server.name)") { try await server.publish() }
      if command.isEmpty { announce(server, simulated, context) }
      let takesInput = command.isEmpty && !StandardDescriptors.isInBackground
      var bodies = [context.loop.confinedWork { try await server.run(takesInput: takesInput) }]
      if !command.isEmpty { bodies.append { try await play(simulated, context) } }
      try await context.loop.limited(to: duration.limit) { [bodies] in try await context.loop.race(bodies) }
    } catch {
      await controlled?.stop()
      throw error
    }
    await controlled?.stop()
  }

  private func announce(_ server: PeripheralServer, _ simulated: SimulatedRadio?, _ context: CommandContext) {
    simulated?.announce(in: context)
    if context.console.errors.isTerminal || common.verbose > 0 {
      context.remark("serving \(server.name); press Ctrl-C to stop")
    }
  }

  /// Runs the command to its end.
  private func play(_ simulated: SimulatedRadio?, _ context: CommandContext) async throws {
    let child = try ChildCommand(command, environment: simulated?.environment ?? [:])
    switch try await child.wait(on: context.loop) {
    case .exited(0): return
    case .exited(let status): throw ChildEnded(status: status)
    case .signalled(let number): throw ChildEnded(status: 128 + number)
    }
  }

  private func listen(_ server: PeripheralServer) async throws -> ControlServer? {
    guard let control else { return nil }
    do throws(ControlSocketError) {
      return try await ControlServer.listen(at: control, for: ServerControl(server))
    } catch {
      throw CommandError(status: .failed, message: "cannot create the socket \(control): \(error)")
    }
  }
}

extension [EmulatedService] {
  /// The keys of what centrals can write.
  fileprivate func writtenKeys(of device: ProfileSubject) -> [String] {
    flatMap { service in
      service.characteristics.filter {
        !$0.spec.properties.isDisjoint(with: [.write, .writeWithoutResponse])
      }
      .flatMap { characteristic in
        let attribute = AttributeIdentity(
          found: characteristic.spec.uuid, in: service.spec.uuid, of: device)
        return ValueMeaning(of: attribute)?.keys ?? []
      }
    }
  }
}
