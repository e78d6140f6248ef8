// SPDX-License-Identifier: MIT
package import BLECentral
package import BlectlArguments

/// The connection of a command, used only by tasks on the loop, one at a time.
package final class DeviceConnection: @unchecked Sendable {
  private(set) var central: CentralManager
  package private(set) var info: PeripheralInfo
  let context: CommandContext
  /// Pairs when the device requires it; nil makes that an error.
  var pairing: (any ConnectionPairing)?

  package var peripheral: Peripheral { info.peripheral }

  init(
    _ central: CentralManager, _ info: PeripheralInfo, _ context: CommandContext,
    _ pairing: (any ConnectionPairing)?
  ) {
    self.central = central
    self.info = info
    self.context = context
    self.pairing = pairing
  }

  /// Sends requests; with `--pair`, pairs if the device requires it, and sends them again.
  package func request<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard let pairing else { return try await body() }
    return try await pairing.run(over: peripheral, body)
  }

  package func replace(by info: PeripheralInfo) { self.info = info }

  /// Switches to another manager after the previous one lost its bus.
  package func move(to central: CentralManager) { self.central = central }

  package func services() async throws -> [GATTService] {
    try await peripheral.discoverServices()
  }
}

extension GATTCharacteristic: CharacteristicCandidate {}

extension DeviceConnection {
  /// The characteristics that the user named, in order; an error lists the candidates of an ambiguous CHAR.
  package func characteristics(_ wanted: [CharacteristicArgument]) async throws -> [GATTCharacteristic] {
    let all = try await services().flatMap(\.characteristics)
    return try wanted.map { try resolve($0, all) }
  }

  private func resolve(
    _ wanted: CharacteristicArgument, _ all: [GATTCharacteristic]
  ) throws -> GATTCharacteristic {
    switch wanted.select(from: all) {
    case .one(let characteristic): return characteristic
    case .none:
      throw CommandError(
        status: .notFound, message: "cannot find \(wanted) on \(info.address): no such characteristic",
        hint: "blectl services \(info.address)")
    case .many(let candidates):
      throw CommandError(
        status: .notFound, message: "cannot choose \(wanted): \(info.address) has \(candidates.count)",
        details: candidates.map(\.label),
        hint: "use SERVICE/CHAR, or a handle such as @\(candidates[0].handle.fourDigits)")
    }
  }
}

extension GATTCharacteristic {
  package func descriptor(_ uuid: BluetoothUUID) throws -> GATTDescriptor {
    if let descriptor = descriptors.first(where: { $0.uuid == uuid }) { return descriptor }
    throw CommandError(
      status: .notFound, message: "cannot find descriptor \(uuid) of \(self.uuid): no such descriptor",
      details: descriptors.map { "\($0.uuid) @\($0.handle.fourDigits)" })
  }
}
