// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BlueZSimulator
internal import Glibc

struct SimulateCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Run a simulated BlueZ on a private bus, for any BlueZ client.",
    discussion: """
      blectl simulate -- blectl scan --count 3
      blectl snapshot Piano --simulate > piano.json
      blectl simulate piano.json -- blectl services Piano

      Any client of BlueZ can be the command: bluetoothctl, a Python script with bleak. Without one, the simulation \
      runs until Ctrl-C, and tells its address.

      What can go wrong can be made to: a world file plays it, and --control takes it while the simulation runs, one \
      JSON object a line, such as {"do":"drop-link","device":"C8:0F:10:01:02:03"}; {"do":"state"} tells how things \
      stand. The list is in docs/faults.md.
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with the devices to simulate; without one, a few are built in.", valueName: "world.json"),
    completion: .file(extensions: ["json"]))
  var world: String?
  @Argument(
    parsing: .postTerminator,
    help: "A command to run with DBUS_SYSTEM_BUS_ADDRESS set; without one, the address is printed.")
  var command: [String] = []
  @Option(
    help: ArgumentHelp(
      "Take commands from a Unix socket that is made there, or from standard input (-).", valueName: "path"),
    completion: .file())
  var control: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if control == "-", !command.isEmpty {
      throw ValidationError("--control - reads standard input, which the command needs: use a path.")
    }
    if common.simulate || common.bus != nil {
      throw ValidationError("The simulated BlueZ brings its own bus: leave --simulate and --bus out.")
    }
  }

  func run(in session: Session) async throws {
    let simulated = try await session.simulate(world)
    if control == "-" { return try await runByInput(simulated, session) }
    let server = try await listen(simulated)
    do {
      try await run(simulated, session)
    } catch {
      await server?.stop()
      throw error
    }
    await server?.stop()
  }

  private func run(_ simulated: SimulatedBus, _ session: Session) async throws {
    guard !command.isEmpty else {
      try tellAddress(simulated, session)
      while true { try await session.loop.sleep(for: .seconds(3600)) }
    }
    var environment = ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address]
    environment["BLECTL_SIMULATE_CONTROL"] = control
    let child = try ChildCommand(command, environment: environment)
    let ending = try await child.wait(on: session.loop)
    switch ending {
    case .exited(0): return
    case .exited(let status): throw ChildEnded(status: status)
    case .signalled(let number): throw ChildEnded(status: 128 + number)
    }
  }

  private func tellAddress(_ simulated: SimulatedBus, _ session: Session) throws {
    try session.console.write(line: "DBUS_SYSTEM_BUS_ADDRESS=\(simulated.address)")
    session.remark("a simulated BlueZ runs; Ctrl-C ends it")
  }

  // MARK: Commands while it runs

  private func listen(_ simulated: SimulatedBus) async throws -> ControlServer? {
    guard let control else { return nil }
    do throws(ControlSocketError) {
      return try await ControlServer.listen(at: control, for: simulated.simulator)
    } catch {
      throw CommandError(status: .failed, message: "cannot make the socket \(control): \(error)")
    }
  }

  /// Answers on standard output; ends with the input.
  private func runByInput(_ simulated: SimulatedBus, _ session: Session) async throws {
    try tellAddress(simulated, session)
    let end = Promise<Void>()
    let server = await ControlServer.read(
      from: STDIN_FILENO, answeringTo: STDOUT_FILENO, for: simulated.simulator
    ) { end.fulfil(()) }
    await withTaskCancellationHandler {
      await end.value
    } onCancel: {
      end.fulfil(())
    }
    await server.stop()
    try Task.checkCancellation()
  }
}

/// The command ended with a status that is ours too.
struct ChildEnded: Error {
  let status: Int32
}
