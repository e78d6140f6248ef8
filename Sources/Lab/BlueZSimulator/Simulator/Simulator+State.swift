// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BLEWorld
internal import PeripheralEmulator

extension Simulator: ControlTarget {
  package var state: WorldState {
    WorldState(
      daemon: daemon == nil ? .stopped : isDaemonFrozen ? .frozen : .running,
      adapters: adapters.map { spec in
        let adapter = daemon?.adapter(spec.name)
        return WorldState.Adapter(
          name: spec.name, address: spec.address, isPowered: adapter?.isPowered ?? spec.isPowered,
          isBlocked: spec.isBlocked, isDiscovering: adapter?.discovery.isRunning ?? false)
      },
      peripherals: medium.peripherals.map { peripheral in
        WorldState.Peripheral(
          address: peripheral.spec.address, name: peripheral.spec.advertisement.name,
          isPresent: peripheral.isPresent, isConnected: peripheral.link != nil,
          subscribed: peripheral.server.subscribed.map(\.longForm), bonds: peripheral.pairing.bondCount,
          passkey: peripheral.pairing.shown.map { PasskeyText.text($0) })
      })
  }
}
