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

  /// How long a link that is being opened or closed is waited for.
  private static let closingTime = Duration.seconds(1)

  private func shutDown(because reason: BLEError) async {
    // First: a question that is open when the bus is left may end bluetoothd.
    if let pairing = agent.pairing?.task {
      pairing.cancel()
      _ = await pairing.value
    }
    agent.postEnd(in: self)
    for attribute in attributeSessions.values { attribute.notifications?.stop(in: self) }
    for adapter in adapterSessions.values { adapter.postEnd(in: self) }
    let held = deviceSessions.filter { $0.value.link.isHeld }.keys.sorted()
    await withTaskGroup(of: Void.self) { group in
      for path in held {
        group.addTask(executorPreference: loop) {
          await self.releaseLink(of: path, within: CentralManager.closingTime)
        }
      }
    }
    // Others may have left their link to a task that waits for it.
    for device in deviceSessions.values where device.link.isConnecting && !device.link.isHeld {
      await LinkCloser(device: device).leaveLock(in: self)
    }
    // bluetoothd would go on for 40 s, and leave a link without a user.
    for device in deviceSessions.values where device.link.isCallingConnect {
      connection.post(device.message("Disconnect"))
    }
    ending = reason.closing(after: outage)
    await client.leave(follower, because: reason)
  }
}
