// SPDX-License-Identifier: MIT
internal import BLECentral

extension GATTCharacteristic: CharacteristicCandidate {}

extension Link {
  /// The characteristics that some CHARs name, in that order.
  ///
  /// - Throws: ``CommandError`` that lists the candidates of an ambiguous CHAR, or names the missing one.
  func characteristics(_ wanted: [CharacteristicArgument]) async throws -> [GATTCharacteristic] {
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
  /// The descriptor with a UUID.
  func descriptor(_ uuid: BluetoothUUID) throws -> GATTDescriptor {
    if let descriptor = descriptors.first(where: { $0.uuid == uuid }) { return descriptor }
    throw CommandError(
      status: .notFound, message: "cannot find descriptor \(uuid) of \(self.uuid): no such descriptor",
      details: descriptors.map { "\($0.uuid) @\($0.handle.fourDigits)" })
  }
}
