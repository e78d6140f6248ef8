// SPDX-License-Identifier: MIT
package import BLEWorld
package import DBus
@_exported public import TestWorlds

@testable package import BlueZSimulator

/// What no command can do. Devices and adapters that do not exist are ignored.
extension Simulator {
  /// Ends all links that an adapter has made, as when it goes out of range.
  package func dropLink(ofAdapter name: String) {
    for device in daemon?.adapter(name)?.devices ?? [] { device.link.close(.timeout) }
  }

  /// Adds a peripheral to the world.
  package func addPeripheral(_ spec: PeripheralSpec) { medium.add(spec) }

  /// Lets a central lose its bonds.
  package func forgetBonds(ofCentral address: String) { centrals[address]?.central.pairing.forgetBonds() }

  /// Replaces a property with any value, even one of a wrong type; nil restores the true one.
  package func overrideProperty(
    _ property: String, of interface: String, at path: String, with value: DBusValue?
  ) {
    daemon?.tree.override(property, of: interface, at: path, with: value)
  }

  /// Sends any signal from the daemon's connection.
  package func emit(_ message: Message) { daemon?.tree.send(message) }
}
