// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The state of a simulation at one moment.
package struct WorldState: Sendable, Hashable {
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

    package init(
      name: String, address: String, isPowered: Bool, isBlocked: Bool, isDiscovering: Bool? = nil
    ) {
      self.name = name
      self.address = address
      self.isPowered = isPowered
      self.isBlocked = isBlocked
      self.isDiscovering = isDiscovering
    }
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

    package init(
      address: String, name: String?, isPresent: Bool, isConnected: Bool, subscribed: [String],
      bonds: Int? = nil, passkey: String? = nil
    ) {
      self.address = address
      self.name = name
      self.isPresent = isPresent
      self.isConnected = isConnected
      self.subscribed = subscribed
      self.bonds = bonds
      self.passkey = passkey
    }
  }

  /// The state of the daemon.
  package var daemon: DaemonState
  /// The adapters that are plugged in.
  package var adapters: [Adapter]
  /// All peripherals, including those out of range.
  package var peripherals: [Peripheral]

  package init(daemon: DaemonState, adapters: [Adapter], peripherals: [Peripheral]) {
    self.daemon = daemon
    self.adapters = adapters
    self.peripherals = peripherals
  }
}
