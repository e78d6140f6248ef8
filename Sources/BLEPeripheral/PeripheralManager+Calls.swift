// SPDX-License-Identifier: MIT
internal import DBus

extension PeripheralManager {
  /// Runs `body` in a task of its own, which is not cancelled with the caller's.
  @discardableResult
  func inBackground(
    _ body: @escaping @Sendable (isolated PeripheralManager) async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: loop) { await body(self) }
  }

  /// Calls BlueZ.
  ///
  /// - Throws: ``BLEError``, made from BlueZ's error.
  @discardableResult
  func call(_ message: Message, for operation: Operation) async throws(BLEError) -> Message {
    do {
      return try await connection.call(message, timeout: operation.deadline.remaining)
    } catch {
      if let outage, error.origin == .reply || error.origin == .abandoned {
        throw outage.during(operation.action)
      }
      throw BLEError(error, during: operation.action)
    }
  }

  /// Calls BlueZ without waiting.
  func begin(
    _ message: Message, timeout: Duration?,
    observer: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) {
    connection.assumeIsolated { $0.begin(message, timeout: timeout, observer: observer) }
  }

  func export(_ objects: LocalObjects) { connection.assumeIsolated { $0.export(objects) } }

  func withdraw(_ root: String) { connection.assumeIsolated { $0.withdraw(root) } }
}
