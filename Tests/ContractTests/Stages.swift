// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport

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
    try await prepared(
      isReal
        ? RealStage()
        : SimulatedStage(world: simulated(.contract), isExperimental: true))
  }

  static let shared = Task<any Stage, any Error> {
    try await prepared(
      isReal ? RealStage() : SimulatedStage(world: simulated(.contract)))
  }

  /// The stage with two adapters that hear each other; a real one has them in a boot of its own.
  static let twoAdapters = Task<any Stage, any Error> {
    try await prepared(isReal ? RealStage() : SimulatedStage(world: simulated(.twoAdapters)))
  }

  /// The same with experimental features.
  static let experimentalTwoAdapters = Task<any Stage, any Error> {
    try await prepared(
      isReal ? RealStage() : SimulatedStage(world: simulated(.twoAdapters), isExperimental: true))
  }

  /// The version of BlueZ, by `BLECTL_CONTRACT_BLUEZ`: the simulator imitates it; of a real bluetoothd, it says what runs.
  static let version: BlueZRelease = {
    guard let text = getenv("BLECTL_CONTRACT_BLUEZ").map({ String(cString: $0) }), !text.isEmpty else {
      return .v5_66
    }
    guard let version = BlueZRelease(rawValue: text) else {
      preconditionFailure("BLECTL_CONTRACT_BLUEZ is no version that the contract knows: \(text)")
    }
    return version
  }()

  /// The services that every device shows: newer versions do not hide Generic Access.
  static let commonServices = version >= .v5_82 ? [BluetoothUUID(0x1800)] : []

  private static func simulated(_ world: World) -> World {
    var world = world
    world.bluez = version
    return world
  }

  /// How long each packet takes in all tests but those that say something else, by `BLECTL_CONTRACT_PACKET_TIME`: none,
  /// or a number of milliseconds such as `30ms`.
  static let packetTime: Duration = {
    guard let text = getenv("BLECTL_CONTRACT_PACKET_TIME").map({ String(cString: $0) }), !text.isEmpty else {
      return .zero
    }
    guard text.hasSuffix("ms"), let count = Int(text.dropLast(2)), count >= 0 else {
      preconditionFailure("BLECTL_CONTRACT_PACKET_TIME is not such as 30ms: \(text)")
    }
    return .milliseconds(count)
  }()

  private static func prepared(_ stage: any Stage) async throws -> any Stage {
    if packetTime > .zero { try await stage.setPacketTime(packetTime) }
    return stage
  }
}
