// SPDX-License-Identifier: MIT

struct AttributeTarget: Sendable {
  let path: String
  let devicePath: String
  let interface: String
  let operation: Operation
}

extension CentralManager {
  /// Runs `body` on the manager's thread, with the attribute's session.
  func perform<Result: Sendable>(
    on target: AttributeTarget,
    _ body: @Sendable (AttributeSession, isolated CentralManager) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    let device = sessions.device(target.devicePath)
    return try await body(sessions.attribute(target.path, target.interface, of: device), self)
  }
}
