// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The initial state of a simulation: adapters, peripherals and events.
///
/// Plain data.
package struct World: Sendable, Hashable {
  /// The bluetoothd that is imitated.
  package var bluez: BlueZRelease
  package var adapters: [AdapterSpec]
  package var peripherals: [PeripheralSpec]
  /// The events that happen during the simulation.
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
  /// Adds adapters, or removes the last ones, until there are so many.
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

/// A Bluetooth adapter of the simulated computer.
package struct AdapterSpec: Sendable, Hashable {
  /// Such as `hci0`.
  package var name: String
  package var address: String
  /// Whether it is switched on; a blocked adapter is off regardless.
  package var isSwitchedOn: Bool
  /// Whether rfkill blocks the radio.
  package var isBlocked: Bool

  package init(
    name: String = "hci0", address: String = "00:1A:7D:DA:71:13", isPowered: Bool = true,
    isBlocked: Bool = false
  ) {
    self.name = name
    self.address = address
    self.isSwitchedOn = isPowered
    self.isBlocked = isBlocked
  }

  /// Whether the radio is on: switched on and not blocked.
  package var isPowered: Bool {
    get { isSwitchedOn && !isBlocked }
    set { isSwitchedOn = newValue }
  }
}

/// A version of bluetoothd that the simulator imitates.
package enum BlueZRelease: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The version of Debian 12.
  case v5_66 = "5.66"
  /// The version of Debian 13.
  case v5_82 = "5.82"
  /// The version of Debian testing in 2026.
  case v5_87 = "5.87"

  /// The older one is less.
  package static func < (one: BlueZRelease, other: BlueZRelease) -> Bool { one.number < other.number }

  /// The digits behind the dot.
  var number: Int {
    switch self {
    case .v5_66: 66
    case .v5_82: 82
    case .v5_87: 87
    }
  }
}

/// A command that runs at a given time of the simulation.
package struct WorldEvent: Sendable, Hashable {
  /// The time of an event.
  package enum Trigger: Sendable, Hashable {
    /// A time after the start of the simulation, repeated at an interval if one is given.
    case time(Duration, every: Duration? = nil)
    /// A time after a link to a peripheral is established: only the first one, or each.
    case connected(device: String, after: Duration = .zero, repeats: Bool = false)
    /// The nth read or write on a link to a peripheral: on the first such link, or on each.
    case operations(device: String, Int, repeats: Bool = false)
  }

  /// The time.
  package var trigger: Trigger
  /// The command.
  package var command: ControlCommand

  /// A command and its time.
  package init(_ trigger: Trigger, _ command: ControlCommand) {
    self.trigger = trigger
    self.command = command
  }
}
