// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport

/// The BlueZ that the contract is tried on, and what can be done to it from outside.
protocol Stage: Sendable {
  /// The address of its bus.
  var address: String { get }
  /// Ends bluetoothd as a crash would.
  func killDaemon() async throws
  /// Starts bluetoothd again, and returns when its adapter is on.
  func startDaemon() async throws
  /// Lets bluetoothd hang: it answers nothing.
  func freezeDaemon() async throws
  /// Lets it go on.
  func thawDaemon() async throws
  /// Switches the adapter off below bluetoothd, as another program can through the kernel's management interface.
  func switchOff() async throws
  /// Switches it on again.
  func switchOn() async throws
  /// Takes a peripheral out of reach: it does not advertise any more, and cannot be connected to.
  func hide(_ address: String) async throws
  /// Brings it back.
  func show(_ address: String) async throws
  /// Lets a peripheral close its link.
  func drop(_ address: String) async throws
}

/// Chooses the stage: the simulator, or, with `BLECTL_CONTRACT=real`, the bluetoothd of this machine.
enum Stages {
  static var isReal: Bool { getenv("BLECTL_CONTRACT").map { String(cString: $0) == "real" } ?? false }

  /// Whether the bluetoothd of this machine has its experimental features on, which is a boot of its own.
  private static var isRealExperimental: Bool { isReal && getenv("BLECTL_CONTRACT_EXPERIMENTAL") != nil }
  /// Whether there is a stage without experimental features.
  static var hasPlain: Bool { !isRealExperimental }
  /// Whether there is one with them.
  static var hasExperimental: Bool { !isReal || isRealExperimental }

  /// The stage with experimental features.
  static let experimental = Task<any Stage, any Error> {
    if isReal { return RealStage() }
    return SimulatedStage(bus: try await SimulatedBus.start(world: .contract, isExperimental: true))
  }

  static let shared = Task<any Stage, any Error> {
    if isReal { return RealStage() }
    return SimulatedStage(bus: try await SimulatedBus.start(world: .contract))
  }
}

/// The simulated BlueZ on a private bus.
struct SimulatedStage: Stage {
  let bus: SimulatedBus
  var address: String { bus.address }

  func killDaemon() async throws { await bus.simulator.killDaemon() }
  func startDaemon() async throws { try await bus.simulator.startDaemon() }
  func freezeDaemon() async throws { await bus.simulator.freeze() }
  func thawDaemon() async throws { await bus.simulator.thaw() }
  func switchOff() async throws { await bus.simulator.setPowered(false) }
  func switchOn() async throws { await bus.simulator.setPowered(true) }
  func hide(_ address: String) async throws { await bus.simulator.vanish(address) }
  func show(_ address: String) async throws { await bus.simulator.appear(address) }
  func drop(_ address: String) async throws { await bus.simulator.dropLink(address) }
}

/// A real bluetoothd on the system bus, in the rig, which brings `rig-bluetoothd`.
struct RealStage: Stage {
  let address = "unix:path=/run/dbus/system_bus_socket"

  private func rig(_ words: String...) async throws {
    let result = try await ToolRun("/usr/bin/env", words).result()
    guard result.status == 0 else { throw RigFailure(command: words, words: result.errorText) }
  }

  func killDaemon() async throws { try await rig("rig-bluetoothd", "kill") }
  func startDaemon() async throws { try await rig("rig-bluetoothd", "start") }
  func freezeDaemon() async throws { try await rig("rig-bluetoothd", "freeze") }
  func thawDaemon() async throws { try await rig("rig-bluetoothd", "thaw") }
  func switchOff() async throws { try await rig("rig-adapter", "off") }
  func switchOn() async throws { try await rig("rig-adapter", "on") }
  func hide(_ address: String) async throws { try await rig("rig-world", "hide", address) }
  func show(_ address: String) async throws { try await rig("rig-world", "show", address) }
  func drop(_ address: String) async throws { try await rig("rig-world", "drop", address) }

  struct RigFailure: Error {
    let command: [String]
    let words: String
  }
}
