// SPDX-License-Identifier: MIT
internal import BLEWorld

/// What differs between the releases of bluetoothd, besides the members of their interfaces (`since:` of a description).
struct BlueZBehaviour: Sendable {
  /// Whether an adapter has a manager of battery providers.
  let hasBatteryProviders: Bool
  /// Whether a device has an object of its bearer.
  let hasBearer: Bool
  let hasHealthManager: Bool
  /// The profiles that media endpoints may have.
  let mediaProfiles: [UInt32]
  /// Whether clients see services that a plugin uses, such as Battery.
  let exportsClaimedServices: Bool
  /// The keys of SetDiscoveryFilter.
  let discoveryFilterKeys: [String]
  /// Whether a report dies of a filter with services, unless a newer filter accepts everything.
  let diesOfServiceFilter: Bool
  /// Whether a connectable device is exported although no filter accepts its report, which is not applied.
  let exportsIgnoredDevices: Bool
  /// Whether a pattern hides a device altogether.
  let hidesByPattern: Bool
  /// Whether `Connectable` is signalled before `Discoverable`.
  let signalsConnectableFirst: Bool
  /// Whether the service Generic Access has Central Address Resolution.
  let hasAddressResolution: Bool
  /// The version in the PnP ID of the service Device Information.
  let productVersion: UInt8
  /// Whether UUIDs lists the services of service data.
  let listsDataServices: Bool

  // MARK: Links and pairing

  /// Whether Connect fails while another connection or a pairing is under way.
  let refusesParallelConnect: Bool
  /// Whether ConnectProfile checks its argument.
  let checksProfile: Bool
  /// Whether services are discovered only after the link is encrypted, where pairing is under way.
  let encryptsBeforeDiscovery: Bool
  /// Whether the services end before the link, when a client ends it.
  let endsServicesBeforeLink: Bool
  /// Whether the end of a link is signalled with its reason, after that of the services.
  let signalsDisconnected: Bool
  /// Whether a refused pairing ends the link as a client does.
  let disconnectsAfterRefusal: Bool
  /// Whether a device is forgotten after a failed pairing, even if its link stands.
  let forgetsConnectedDevice: Bool

  // MARK: Values

  /// Whether AcquireNotify takes indications, since 5.80.
  let acquiresIndications: Bool
  /// Whether a failed AcquireNotify is answered, since 5.84; before, it leaves the characteristic acquired.
  let answersFailedAcquire: Bool
  /// How many bytes shorter than a value a write without preparation is at most.
  let unpreparedWriteOverhead: Int
  /// Whether each central has a notification socket of its own.
  let hasSocketPerCentral: Bool
  /// Whether the sockets of all centrals end with that of one.
  let endsAllSockets: Bool

  init(_ release: BlueZRelease) {
    let (is82, is87) = (release >= .v5_82, release >= .v5_87)
    hasBatteryProviders = is82
    hasBearer = is87
    hasHealthManager = !is87
    mediaProfiles = is82 ? [] : [0x110A, 0x110B]
    exportsClaimedServices = is82
    discoveryFilterKeys =
      ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
      + (is87 ? ["AutoConnect"] : [])
    diesOfServiceFilter = is87
    exportsIgnoredDevices = is82
    hidesByPattern = is87
    signalsConnectableFirst = is82
    hasAddressResolution = !is82
    productVersion = is82 ? 0x52 : 0x42
    listsDataServices = is82
    refusesParallelConnect = is82
    checksProfile = is82
    encryptsBeforeDiscovery = is82
    endsServicesBeforeLink = !is82
    signalsDisconnected = is87
    disconnectsAfterRefusal = is87
    forgetsConnectedDevice = !is82
    acquiresIndications = is82
    answersFailedAcquire = is87
    unpreparedWriteOverhead = is82 ? 0 : 2
    hasSocketPerCentral = is82
    endsAllSockets = is82
  }
}
