// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

extension CentralManager {
  /// Stops scans and notifications, releases the links in use, and leaves the bus.
  ///
  /// A link is closed when this library opened it and nobody else uses it. Writes without response that are on their
  /// way have a second to arrive. The end of the links, which takes BlueZ 2 s, is not waited for. The manager cannot be
  /// used afterwards.
  public func close() async { await close(because: .managerClosed) }

  /// Closes the manager, and ends everything that waits for it with an error.
  package func close(because reason: BLEError) async {
    await inBackground { await $0.shutDown(because: reason) }.value  // also when the task was cancelled
  }

  private func shutDown(because reason: BLEError) async {
    await sessions.close(in: self)
    ending = reason.closing(after: outage)
    await client.leave(follower, because: reason)
  }
}
