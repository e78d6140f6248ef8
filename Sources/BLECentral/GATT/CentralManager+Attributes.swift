// SPDX-License-Identifier: MIT
internal import DBus

/// The manager's part of the operations on characteristics and descriptors.
extension CentralManager {
  func read(_ target: AttributeTarget) async throws(BLEError) -> [UInt8] {
    try await attributeSession(target).read(target.operation, in: self)
  }

  func write(_ value: [UInt8], _ target: AttributeTarget, _ type: WriteType) async throws(BLEError) {
    try await attributeSession(target).write(value, type, target.operation, in: self)
  }

  func write(
    _ values: [[UInt8]], _ target: AttributeTarget, _ type: WriteType, each timeout: Duration?,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws(BLEError) {
    try await attributeSession(target).write(
      values, type, target.operation.name, each: timeout, progress, in: self)
  }

  /// The version of a device's bluetoothd, where that does not take 512 bytes in one packet.
  func oldBlueZ(at devicePath: String) -> BlueZVersion? {
    LongestWrite(modalias: model.devices[devicePath]?.modalias).culprit
  }

  func confirmWrites(_ peripheral: Peripheral, _ timeout: Duration?) async throws(BLEError) {
    let operation = Operation("confirm the writes to \(peripheral.address)", timeout: timeout)
    guard let device = deviceSessions[peripheral.path] else { return }
    try await WriteConfirmation(device: device).confirm(operation, in: self)
  }

  func subscribe(
    _ target: AttributeTarget, _ transport: NotificationTransport, _ capacity: Int
  ) async throws(BLEError) -> Notifications {
    try await attributeSession(target).subscribe(target.operation, transport, capacity, in: self)
  }

  /// Returns when all values that bluetoothd has signalled by now were delivered.
  func passBarrier(_ target: AttributeTarget) async throws(BLEError) {
    do {
      try await passBarrier("UUID", of: BlueZ.gattCharacteristic, at: target.path, target.operation)
    } catch {
      throw await deviceSession(target.devicePath).explain(error, target.operation, in: self)
    }
  }
}
