// SPDX-License-Identifier: MIT

/// A Bluetooth adapter of the simulated computer.
package struct AdapterSpec: Sendable, Equatable {
  /// Such as `hci0`.
  package var name: String
  package var address: String
  /// True if it is switched on; a blocked adapter is off regardless.
  package var isSwitchedOn: Bool
  /// True if rfkill blocks the radio.
  package var isBlocked: Bool

  package init(
    name: String = "hci0", address: String = "00:1A:7D:DA:71:13", isPowered: Bool = true,
    isBlocked: Bool = false
  ) {
    (self.name, self.address) = (name, address)
    self.isSwitchedOn = isPowered
    self.isBlocked = isBlocked
  }

  /// True if the radio is on: switched on and not blocked.
  package var isPowered: Bool {
    get { isSwitchedOn && !isBlocked }
    set { isSwitchedOn = newValue }
  }
}
