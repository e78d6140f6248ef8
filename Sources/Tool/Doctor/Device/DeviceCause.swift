// SPDX-License-Identifier: MIT

/// The cause that keeps a device from being used.
///
/// Scripts may rely on the JSON values.
package enum DeviceCause: String, Sendable {
  /// The adapter is off, blocked, or gone.
  case adapterOff = "adapter_off"
  /// The adapter has as many links as it can have.
  case noSlots = "no_slots"
  /// bluetoothd ended during the attempt.
  case daemonFault = "bluetoothd_fault"
  /// BlueZ refuses all connections of the device.
  case blocked
  case notHeard = "not_heard"
  /// Its private address has been replaced by another one.
  case addressRotated = "address_rotated"
  /// It does not advertise, since another central has its link.
  case connectedElsewhere = "connected_elsewhere"
  /// It advertises, but accepts no connections.
  case notConnectable = "not_connectable"
  case weakSignal = "weak_signal"
  /// It is heard well, but no link comes about.
  case noLink = "no_link"
  case linkDrops = "link_drops"
  /// There is a link, but the services do not come.
  case servicesUnresolved = "services_unresolved"
  /// BlueZ uses attributes that the device no longer has.
  case staleCache = "stale_cache"
  case needsPairing = "needs_pairing"
  /// One of the two sides has lost the keys of the pairing.
  case bondLost = "bond_lost"
  /// It does not answer a request.
  case noAnswer = "no_answer"
}
