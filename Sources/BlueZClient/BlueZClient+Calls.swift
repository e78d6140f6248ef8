// SPDX-License-Identifier: MIT
package import BLECore
package import DBus

/// Calling BlueZ, and exporting objects that BlueZ calls; for code on the loop's thread.
extension BlueZClient {
  @discardableResult
  package func call(
    _ message: Message, for operation: Operation, over other: Connection? = nil,
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) -> Message {
    do {
      return try await (other ?? connection).call(
        message, timeout: operation.deadline.remaining, observer: observer)
    } catch {
      throw reason(of: error, for: operation.action)
    }
  }

  /// Calls BlueZ without waiting; `observer` gets the outcome in order with the signals.
  package nonisolated func begin(
    _ message: Message, timeout: Duration?, over other: Connection? = nil,
    observer: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) {
    (other ?? connection).assumeIsolated { $0.begin(message, timeout: timeout, observer: observer) }
  }

  /// Ends the calls to an object and its children that can no longer be answered.
  package nonisolated func abandonCalls(under path: String, _ message: String) {
    connection.assumeIsolated { $0.abandonCalls(under: path, because: message) }
  }

  package func reason(of error: DBusError, for action: BLEError.Action) -> BLEError {
    let failure = BLEError(error, during: action)
    // The end of the service is the reason, whatever the bus answers to calls that never arrived.
    if error.origin == .reply || error.origin == .abandoned, let outage {
      return outage.during(action).caused(by: failure)
    }
    // The adapter may have been unplugged.
    if error.origin == .abandoned, case .failure(let reason) = adapterInUse(for: action) { return reason }
    return failure
  }

  /// Exports objects that BlueZ can call, until ``withdraw(_:)``.
  package nonisolated func export(_ objects: LocalObjects) {
    connection.assumeIsolated { $0.export(objects) }
  }

  /// Withdraws the exported objects below a root.
  package nonisolated func withdraw(_ root: String) { connection.assumeIsolated { $0.withdraw(root) } }
}
