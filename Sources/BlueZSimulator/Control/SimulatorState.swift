// SPDX-License-Identifier: MIT

/// How a simulated world stands at a moment.
package struct SimulatorState: Sendable, Hashable {
  /// What the daemon does.
  package enum DaemonState: String, Sendable, Hashable {
    /// It answers.
    case running
    /// It hangs.
    case frozen
    /// There is none.
    case stopped
  }

  /// An adapter that is plugged in.
  package struct Adapter: Sendable, Hashable {
    /// Such as `hci0`.
    package var name: String
    /// Its address.
    package var address: String
    /// Whether it is on.
    package var isPowered: Bool
    /// Whether rfkill blocks it.
    package var isBlocked: Bool
    /// Whether it scans.
    package var isDiscovering: Bool
  }

  /// A peripheral of the world.
  package struct Peripheral: Sendable, Hashable {
    /// Its address.
    package var address: String
    /// The name that it advertises.
    package var name: String?
    /// Whether it is in reach.
    package var isPresent: Bool
    /// Whether it has a link to us.
    package var isConnected: Bool
    /// The characteristics that notify or indicate at present: their UUIDs, in the order of their handles.
    package var subscribed: [String]
  }

  /// What the daemon does.
  package var daemon: DaemonState
  /// The adapters that are plugged in.
  package var adapters: [Adapter]
  /// The peripherals, also those out of reach.
  package var peripherals: [Peripheral]
}

extension Simulator {
  /// How things stand.
  package var state: SimulatorState {
    SimulatorState(
      daemon: daemon == nil ? .stopped : isDaemonFrozen ? .frozen : .running,
      adapters: adapters.map { spec in
        let adapter = daemon?.adapters.first { $0.spec.name == spec.name }
        return SimulatorState.Adapter(
          name: spec.name, address: spec.address, isPowered: adapter?.isPowered ?? spec.isPowered,
          isBlocked: spec.isBlocked, isDiscovering: adapter?.discovery.isRunning ?? false)
      },
      peripherals: air.peripherals.map { peripheral in
        SimulatorState.Peripheral(
          address: peripheral.spec.address, name: peripheral.spec.advertisement.name,
          isPresent: peripheral.isPresent, isConnected: peripheral.link != nil,
          subscribed: peripheral.server.subscribed.map(\.text))
      })
  }
}
