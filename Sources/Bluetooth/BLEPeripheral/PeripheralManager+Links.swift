// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

extension PeripheralManager {
  /// Asks BlueZ to close the link of a central, and returns at once; it takes 2 s.
  package func disconnect(_ central: Central) {
    client.connection.post(
      Message(call: "Disconnect", of: BlueZ.device, at: central.path, to: BlueZ.service) { _ in })
  }
}
