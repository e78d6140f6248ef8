// SPDX-License-Identifier: MIT

/// An attribute that an operation is about.
struct AttributeTarget: Sendable {
  let path: String
  let devicePath: String
  let interface: String
  let operation: Operation
}

extension CentralManager {
  /// Runs `body` on the manager's thread, with what the manager does with an attribute.
  func perform<Result: Sendable>(
    on target: AttributeTarget,
    _ body: @Sendable (AttributeSession, isolated CentralManager) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    let device = deviceSession(target.devicePath)
    return try await body(attributeSession(target.path, target.interface, of: device), self)
  }

  func attributeSession(_ path: String, _ interface: String, of device: DeviceSession) -> AttributeSession {
    if let session = attributeSessions[path] { return session }
    let session = AttributeSession(path: path, interface: interface, device: device)
    attributeSessions[path] = session
    return session
  }

  /// Whether bluetoothd has not yet answered a StopNotify for the device.
  func isStoppingNotifications(of devicePath: String) -> Bool {
    attributeSessions.values.contains { $0.device.path == devicePath && $0.stopsUnderWay > 0 }
  }

  func attributes(of device: DeviceSession) -> [AttributeSession] {
    attributeSessions.values.filter { $0.device === device }
  }
}
