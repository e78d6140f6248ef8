// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The state of a simulation at one moment.
package struct SimulatorState: Sendable, Hashable {
  /// The state of the daemon.
  package enum DaemonState: String, Sendable, Hashable {
    /// It answers.
    case running
    /// It hangs.
    case frozen
    /// It is not running.
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
    /// Whether it scans; nil if that is unknown.
    package var isDiscovering: Bool?
  }

  /// A peripheral of the world.
  package struct Peripheral: Sendable, Hashable {
    /// Its address.
    package var address: String
    /// The name that it advertises.
    package var name: String?
    /// Whether it is in range.
    package var isPresent: Bool
    /// Whether it is connected.
    package var isConnected: Bool
    /// The UUIDs of the characteristics with a subscription, in the order of their handles.
    package var subscribed: [String]
    /// The number of its bonds; nil if that is unknown.
    package var bonds: Int?
    /// The passkey that it shows, or the number to compare, of six digits.
    package var passkey: String?
  }

  /// The state of the daemon.
  package var daemon: DaemonState
  /// The adapters that are plugged in.
  package var adapters: [Adapter]
  /// All peripherals, including those out of range.
  package var peripherals: [Peripheral]
}

extension Simulator: ControlTarget {
  /// The current state.
  package var state: SimulatorState {
    SimulatorState(
      daemon: daemon == nil ? .stopped : isDaemonFrozen ? .frozen : .running,
      adapters: adapters.map { spec in
        let adapter = daemon?.adapter(spec.name)
        return SimulatorState.Adapter(
          name: spec.name, address: spec.address, isPowered: adapter?.isPowered ?? spec.isPowered,
          isBlocked: spec.isBlocked, isDiscovering: adapter?.discovery.isRunning ?? false)
      },
      peripherals: medium.peripherals.map { peripheral in
        SimulatorState.Peripheral(
          address: peripheral.spec.address, name: peripheral.spec.advertisement.name,
          isPresent: peripheral.isPresent, isConnected: peripheral.link != nil,
          subscribed: peripheral.server.subscribed.map(\.longForm), bonds: peripheral.pairing.bondCount,
          passkey: peripheral.pairing.shown.map { PasskeyText.text($0) })
      })
  }
}
