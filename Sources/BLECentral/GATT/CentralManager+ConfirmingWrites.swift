// SPDX-License-Identifier: MIT
internal import DBus

extension CentralManager {
  func confirmWrites(_ peripheral: Peripheral, _ deadline: Deadline) async throws(BLEError) {
    guard let link = links[peripheral.path] else { return }
    try await confirmCommands(over: link, "confirm the writes to \(peripheral.address)", deadline)
  }

  /// Waits until the device has received every write without response that bluetoothd was given over a link.
  ///
  /// bluetoothd answers a command when it has queued it. ATT sends a request only behind the commands that were queued
  /// before, and the device answers in order: its answer, an error included, proves that they arrived.
  ///
  /// - Throws: ``BLEError``: `disconnected` when the link was lost before; `timedOut` …
  func confirmCommands(
    over link: DeviceLink, _ operation: String, _ deadline: Deadline
  ) async throws(BLEError) {
    guard link.hasUnconfirmedCommands else { return }
    try await requireNoLoss(of: link, operation)
    try await requireLink(link.devicePath, for: operation)
    var failure = BLEError(
      .notSupported, operation: operation, message: "the device has no attribute that can be asked for")
    for target in confirmingTargets(of: link.devicePath, operation) {
      do {
        _ = try await read(target, deadline, isEchoed: target.interface == BlueZ.gattCharacteristic)
      } catch {
        failure = error
      }
      try await requireNoLoss(of: link, operation)
      if !link.hasUnconfirmedCommands { return }
      guard failure.code == .attributeError else { break }
    }
    throw failure
  }

  /// Reports once that commands were lost with a link, even when there is another link by now.
  private func requireNoLoss(of link: DeviceLink, _ operation: String) async throws(BLEError) {
    guard link.hasLostCommands else { return }
    link.settleCommands()
    var error = BLEError(.disconnected, operation: operation, message: CentralManager.linkWasLost)
    if link.use == .lost { error = await reasonOfNoLink(link.devicePath, for: operation) }
    error.mayHaveTakenEffect = true
    throw error
  }

  /// Attributes to read for the sake of the answer, the most harmless ones first.
  ///
  /// The configuration of notifications (2902) can be read from any device without pairing, and has no effect. A read of a
  /// characteristic that cannot be read is refused at once.
  private func confirmingTargets(of devicePath: String, _ operation: String) -> [AttributeTarget] {
    var ranked: [(rank: Int, target: AttributeTarget)] = []
    for characteristic in model.characteristics(of: devicePath) {
      let isQuiet = characteristic.properties.isDisjoint(with: [.notify, .indicate])
      let isUnreadable = !characteristic.properties.contains(.read)
      ranked.append(
        (
          isQuiet ? (isUnreadable ? 2 : 3) : 4,
          AttributeTarget(
            path: characteristic.path, devicePath: devicePath, interface: BlueZ.gattCharacteristic,
            operation: operation)
        ))
    }
    let owners = Set(ranked.map(\.target.path))
    for descriptor in model.descriptors.values where owners.contains(descriptor.characteristicPath) {
      ranked.append(
        (
          descriptor.uuid == .clientCharacteristicConfiguration ? 0 : 1,
          AttributeTarget(
            path: descriptor.path, devicePath: devicePath, interface: BlueZ.gattDescriptor,
            operation: operation)
        ))
    }
    return ranked.sorted { ($0.rank, $0.target.path) < ($1.rank, $1.target.path) }.prefix(3).map(\.target)
  }
}

extension BLEError {
  /// Whether the device itself answered with this error.
  ///
  /// ATT error 0x0e does not count: BlueZ also makes it up when the link is lost, or nothing was answered for 30 s.
  var isAnswerOfDevice: Bool {
    guard dbusName?.hasPrefix(BlueZ.errorPrefix) == true, attError != .unlikelyError else { return false }
    return [.notPermitted, .notPaired, .notAuthorized, .notSupported, .attributeError, .invalidLength]
      .contains(code)
  }
}
