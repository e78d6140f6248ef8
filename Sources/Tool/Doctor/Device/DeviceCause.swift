// SPDX-License-Identifier: MIT

/// Something that keeps a device from being used, or that a person who uses it should know.
///
/// Scripts may rely on the JSON values.
package enum DeviceCause: String, Sendable, CaseIterable {
  // MARK: Of this machine

  /// The bus cannot be reached, was lost, or answers nothing.
  case noBus = "no_bus"
  /// The policy of the bus keeps this user from BlueZ.
  case accessDenied = "access_denied"
  /// bluetoothd does not run, or ended during the attempt.
  case daemonFault = "bluetoothd_fault"
  /// bluetoothd runs, but answers nothing.
  case daemonHangs = "bluetoothd_hangs"
  /// The adapter is off, blocked, or gone.
  case adapterOff = "adapter_off"
  /// The adapter hears nothing at all.
  case adapterSilent = "adapter_silent"
  /// bluetoothd refuses to scan.
  case cannotScan = "cannot_scan"
  /// The adapter has as many links as it can have.
  case noSlots = "no_slots"

  // MARK: Without a link

  /// BlueZ refuses all connections of the device.
  case blocked
  case notHeard = "not_heard"
  /// Its private address has been replaced by another one.
  case addressRotated = "address_rotated"
  /// It does not advertise, since another central has its link.
  case connectedElsewhere = "connected_elsewhere"
  /// Another program of this machine opened the link while the device was listened for.
  case openedMeanwhile = "opened_meanwhile"
  /// It advertises, but accepts no connections.
  case notConnectable = "not_connectable"
  case weakSignal = "weak_signal"
  /// It is heard well, or was not listened for, and no link comes about.
  case noLink = "no_link"
  case linkDrops = "link_drops"
  /// There is a link, but the services do not come.
  case servicesUnresolved = "services_unresolved"

  // MARK: Over a link

  /// One of the two sides has lost the keys of the pairing.
  case bondLost = "bond_lost"
  /// BlueZ itself reads a value that requires better keys than those of the pairing, and offers no services meanwhile.
  case pairingTooWeak = "pairing_too_weak"
  /// The link ends when one value is read: the device refuses the pairing that the value requires.
  case pairingRefused = "pairing_refused"
  case needsPairing = "needs_pairing"
  /// BlueZ uses attributes that the device no longer has.
  case staleCache = "stale_cache"
  /// BlueZ shows no services of it, and had none before.
  case noServices = "no_services"
  /// It answers no request.
  case noAnswer = "no_answer"
  /// It answers requests, but not those for one value.
  case silentValue = "silent_value"
  /// Each request for a value fails, for reasons that fit no other cause.
  case noValue = "no_value"
  case slowServices = "slow_services"
  case slowLink = "slow_link"
  /// Another program holds the notifications of a characteristic.
  case heldByOther = "held_by_other"
  /// The device ended the link after it was used.
  case endsLink = "ends_link"
}

extension DeviceCause {
  /// True if Bluetooth as a whole is not available: no command would work.
  package var isOutage: Bool {
    [.noBus, .accessDenied, .daemonFault, .daemonHangs, .adapterOff].contains(self)
  }
}
