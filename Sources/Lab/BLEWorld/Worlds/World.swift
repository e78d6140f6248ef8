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
  ) { (self.bluez, self.adapters, self.peripherals, self.events) = (bluez, adapters, peripherals, events) }
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

/// A command that runs at a given time of the simulation.
package struct WorldEvent: Sendable, Equatable {
  /// The time of an event.
  package enum Trigger: Sendable, Equatable {
    /// A time after the start of the simulation, repeated at an interval if one is given.
    case time(Duration, every: Duration? = nil)
    /// A time after a link to a peripheral is established: only the first one, or each.
    case connected(device: String, after: Duration = .zero, repeats: Bool = false)
    /// The nth read or write on a link to a peripheral: on the first such link, or on each.
    case operations(device: String, Int, repeats: Bool = false)
  }

  package var trigger: Trigger
  package var command: ControlCommand

  package init(_ trigger: Trigger, _ command: ControlCommand) {
    self.trigger = trigger
    self.command = command
  }
}

/// A release of bluetoothd that the simulator imitates.
package enum BlueZRelease: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The release in Debian 12.
  case v5_66 = "5.66"
  /// The release in Debian 13.
  case v5_82 = "5.82"
  /// The release in Debian testing in 2026.
  case v5_87 = "5.87"

  package static func < (one: BlueZRelease, other: BlueZRelease) -> Bool { one.number < other.number }

  /// The digits after the dot.
  package var number: Int {
    switch self {
    case .v5_66: 66
    case .v5_82: 82
    case .v5_87: 87
    }
  }
}
