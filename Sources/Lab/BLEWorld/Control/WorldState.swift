// SPDX-License-Identifier: MIT

/// The state of a simulation at one moment.
package struct WorldState: Sendable, Equatable {
  package enum DaemonState: String, Sendable, Hashable {
    case running
    /// It hangs.
    case frozen
    case stopped
  }

  /// An adapter that is plugged in.
  package struct Adapter: Sendable, Equatable {
    /// Such as `hci0`.
    package var name: String
    package var address: String
    package var isPowered: Bool
    /// True if rfkill blocks it.
    package var isBlocked: Bool
    /// True if it scans; nil if that is unknown.
    package var isDiscovering: Bool?

    package init(
      name: String, address: String, isPowered: Bool, isBlocked: Bool, isDiscovering: Bool? = nil
    ) {
      (self.name, self.address, self.isPowered, self.isBlocked) = (name, address, isPowered, isBlocked)
      self.isDiscovering = isDiscovering
    }
  }

  package struct Peripheral: Sendable, Equatable {
    package var address: String
    /// The name that it advertises.
    package var name: String?
    /// True if it is in range.
    package var isPresent: Bool
    package var isConnected: Bool
    /// The UUIDs of the characteristics with a subscription, in the order of their handles.
    package var subscribed: [String]
    /// The number of its bonds; nil if that is unknown.
    package var bonds: Int?
    /// The six digits of the passkey that it shows, or of the number to compare.
    package var passkey: String?
    /// Its firmware, if that can be updated.
    package var firmware: FirmwareState?

    package init(
      address: String, name: String?, isPresent: Bool, isConnected: Bool, subscribed: [String],
      bonds: Int? = nil, passkey: String? = nil, firmware: FirmwareState? = nil
    ) {
      (self.address, self.name, self.isPresent, self.isConnected) = (address, name, isPresent, isConnected)
      (self.subscribed, self.bonds, self.passkey) = (subscribed, bonds, passkey)
      self.firmware = firmware
    }
  }

  package var daemon: DaemonState
  package var adapters: [Adapter]
  /// All peripherals, including those out of range.
  package var peripherals: [Peripheral]

  package init(daemon: DaemonState, adapters: [Adapter], peripherals: [Peripheral]) {
    (self.daemon, self.adapters, self.peripherals) = (daemon, adapters, peripherals)
  }
}
