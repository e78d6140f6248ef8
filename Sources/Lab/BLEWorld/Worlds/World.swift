// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The initial state of a simulation: adapters, peripherals and events.
package struct World: Sendable, Equatable {
  /// The release of bluetoothd to imitate.
  package var bluez: BlueZRelease
  package var adapters: [AdapterSpec]
  package var peripherals: [PeripheralSpec]
  package var events: [WorldEvent]

  package init(
    bluez: BlueZRelease = .v5_66, adapters: [AdapterSpec] = [AdapterSpec()], peripherals: [PeripheralSpec],
    events: [WorldEvent] = []
  ) {
    self.bluez = bluez
    self.adapters = adapters
    self.peripherals = peripherals
    self.events = events
  }
}

extension World {
  /// Adds adapters, or removes the last ones, until there are `count`.
  ///
  /// An added adapter has the first free name, and an address after that of the first adapter.
  package mutating func setAdapterCount(_ count: Int) {
    adapters = Array(adapters.prefix(count))
    var number = 0
    while adapters.count < count {
      defer { number += 1 }
      let spec = AdapterSpec(name: "hci\(number)", address: World.adapterAddress(number))
      guard !adapters.contains(where: { $0.name == spec.name || $0.address == spec.address }) else {
        continue
      }
      adapters.append(spec)
    }
  }

  private static func adapterAddress(_ number: Int) -> String {
    "00:1A:7D:DA:71:" + Hex.string([UInt8(truncatingIfNeeded: 0x13 + number)]).uppercased()
  }
}
