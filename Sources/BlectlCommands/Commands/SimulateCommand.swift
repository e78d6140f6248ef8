// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlueZSimulator
internal import DBus
internal import Glibc

struct SimulateCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Run a simulated BlueZ on a private bus, for any BlueZ client.",
    discussion: """
      blectl simulate -- bluetoothctl devices
      blectl simulate -- python3 yourscript.py
      blectl simulate world.json -- blectl scan
      blectl simulate
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with the devices to simulate; without one, a few are built in.", valueName: "world.json"))
  var world: String?
  @Argument(
    parsing: .postTerminator,
    help: "A command to run with DBUS_SYSTEM_BUS_ADDRESS set; without one, the address is printed.")
  var command: [String] = []
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if common.simulate || common.bus != nil {
      throw ValidationError("The simulated BlueZ brings its own bus: leave --simulate and --bus out.")
    }
  }

  func run(in session: Session) async throws {
    let simulated = try await session.simulate(world)
    guard !command.isEmpty else {
      try session.console.write(line: "DBUS_SYSTEM_BUS_ADDRESS=\(simulated.address)")
      session.remark("a simulated BlueZ runs; Ctrl-C ends it")
      while true { try await session.loop.sleep(for: .seconds(3600)) }
    }
    let child = try ChildCommand(command, environment: ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address])
    let ending = try await child.wait(on: session.loop)
    switch ending {
    case .exited(0): return
    case .exited(let status): throw ChildEnded(status: status)
    case .signalled(let number): throw ChildEnded(status: 128 + number)
    }
  }
}

/// The command ended with a status that is ours too.
struct ChildEnded: Error {
  let status: Int32
}
