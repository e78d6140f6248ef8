// SPDX-License-Identifier: MIT

/// The values of characteristics, for ``PublishedCharacteristic``.
extension PeripheralManager {
  func value(of characteristic: PublishedCharacteristic) -> [UInt8] { characteristic.served.value }

  /// The handle of the value, without waiting.
  package func handle(of characteristic: PublishedCharacteristic) -> UInt16? {
    characteristic.served.phase == .registered ? characteristic.served.handle : nil
  }

  package func isSubscribed(_ characteristic: PublishedCharacteristic) -> Bool {
    characteristic.served.isSubscribed
  }

  /// Does what ``PublishedCharacteristic/update(_:)`` does, without waiting.
  package func update(
    _ characteristic: PublishedCharacteristic, to value: [UInt8]
  ) throws(BLEError) -> Bool {
    try characteristic.served.update(to: value)
  }

  /// Does the same, in its own turn.
  func updateInTurn(_ characteristic: PublishedCharacteristic, to value: [UInt8]) throws(BLEError) -> Bool {
    characteristic.served.beginTurn()
    return try characteristic.served.update(to: value)
  }

  func send(
    _ value: [UInt8], from characteristic: PublishedCharacteristic, timeout: Duration?
  ) async throws(BLEError) {
    if try updateInTurn(characteristic, to: value) { return }
    let operation = Operation(.update(characteristic.uuid, for: nil), timeout: timeout)
    repeat {
      try await waitForRoom(characteristic, operation)
    } while try !update(characteristic, to: value)
  }

  func send(
    contentsOf values: ArraySlice<[UInt8]>, from characteristic: PublishedCharacteristic, timeout: Duration?
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    characteristic.served.beginTurn()
    for index in values.indices {
      if !characteristic.served.takeTurn() {
        await Task.yield()
        characteristic.served.beginTurn()
      }
      do throws(BLEError) {
        while try !update(characteristic, to: values[index]) {
          try await waitForRoom(
            characteristic, Operation(.update(characteristic.uuid, for: nil), timeout: deadline.remaining))
        }
      } catch {
        throw BLEError(
          error.code, during: error.action,
          "\(error.message) (\(index) of \(values.endIndex) values were sent)")
      }
    }
  }

  private func waitForRoom(
    _ characteristic: PublishedCharacteristic, _ operation: Operation
  ) async throws(BLEError) {
    guard try await characteristic.served.waitForRoom(operation) else {
      throw operation.error(.timedOut, "the values before it are still on their way")
    }
  }

  func individualCentrals(of characteristic: PublishedCharacteristic) -> [Central] {
    characteristic.served.individualCentrals(blueZVersion)
  }

  func update(
    _ characteristic: PublishedCharacteristic, to value: [UInt8], for central: Central
  ) throws(BLEError) -> Bool {
    try characteristic.served.update(to: value, for: central, blueZVersion)
  }

  func send(
    _ value: [UInt8], from characteristic: PublishedCharacteristic, for central: Central, timeout: Duration?
  ) async throws(BLEError) {
    let operation = Operation(.update(characteristic.uuid, for: central.address), timeout: timeout)
    while try !update(characteristic, to: value, for: central) {
      try await waitForRoom(characteristic, operation)
    }
  }
}
