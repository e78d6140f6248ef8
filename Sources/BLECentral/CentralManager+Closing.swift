// SPDX-License-Identifier: MIT
internal import BlueZClient

extension CentralManager {
  /// Stops scans and notifications, releases the links in use, and leaves the bus.
  ///
  /// A link is closed when this library opened it and no other program uses it. Pending writes without
  /// response have a second to arrive. The method does not wait for the links to close, which takes BlueZ 2
  /// s. The manager cannot be used afterwards.
  public func close() async { await close(because: .managerClosed) }

  /// Closes the manager, and ends every operation that waits for it with an error.
  package func close(because reason: BLEError) async {
    await inBackground { await $0.shutDown(because: reason) }.value  // also when the task was cancelled
  }

  private func shutDown(because reason: BLEError) async {
    await sessions.close(in: self)
    ending = reason.closing(after: outage)
    await client.leave(follower, because: reason)
  }
}
