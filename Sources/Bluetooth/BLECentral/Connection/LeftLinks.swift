// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The links that a manager held when it lost the bus.
///
/// BlueZ keeps a link whose opener has left the bus. The manager that replaces the lost one, on the same bus, still knows whose
/// it is, and closes it at the end.
struct LeftLinks {
  /// The unique identifier of the bus; empty if it has none.
  var bus = ""
  /// By device; they count the lost manager as a user still.
  var locks: [String: LinkLock] = [:]

  /// Stops counting the lost manager as a user, which no other one replaces.
  func abandon() { for lock in locks.values { lock.abandon() } }
}

extension CentralManager {
  /// Makes the links of a manager that has lost the bus the links of this one, if both are of the same bus and the devices are
  /// still connected.
  package func takeLinks(of lost: CentralManager) {
    guard lost.loop === loop else { return }
    core.sessions.take(loop.take(from: lost) { $0.core.sessions.leaveLinks() })
  }
}

extension Sessions {
  /// Makes links those of this manager, which closes them at the end also if it never uses them.
  func take(_ left: LeftLinks) {
    let bus = core.connection.assumeIsolated { $0.busID }
    for (path, lock) in left.locks where devices[path] == nil {
      core.client.model.devices.load(path)
      guard !bus.isEmpty, bus == left.bus, core.isConnected(path) else {
        lock.linkEnded()
        lock.abandon()
        continue
      }
      devices[path] = DeviceSession(path: path, lock: lock, core: core)
    }
  }
}
