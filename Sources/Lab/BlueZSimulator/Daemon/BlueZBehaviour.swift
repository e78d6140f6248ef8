// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The differences between releases of bluetoothd, besides the members of interfaces (`since:` of a
/// description).
struct BlueZBehaviour: Sendable {
  let hasBatteryProviders: Bool
  /// True if devices export an object for their bearer.
  let hasBearer: Bool
  let hasHealthManager: Bool
  let mediaProfiles: [UInt32]
  /// True if clients see services that a plugin uses, such as Battery.
  let exportsClaimedServices: Bool
  let discoveryFilterKeys: [String]
  /// True if a report crashes it while a filter has services, unless a newer filter accepts everything.
  let diesOfServiceFilter: Bool
  /// True if it exports a connectable device whose report no filter accepts, without applying the report.
  let exportsIgnoredDevices: Bool
  /// True if a pattern hides a device completely.
  let hidesByPattern: Bool
  /// True if `Connectable` is signalled before `Discoverable`.
  let signalsConnectableFirst: Bool
  /// True if the Generic Access service has Central Address Resolution.
  let hasAddressResolution: Bool
  /// The version in the PnP ID of the Device Information service.
  let productVersion: UInt8
  /// True if UUIDs includes the services of service data.
  let listsDataServices: Bool

  // MARK: Links and pairing

  /// True if Connect fails while another connection or a pairing is under way.
  let refusesParallelConnect: Bool
  let checksProfile: Bool
  /// True if it discovers services only after encryption while a pairing is in progress.
  let encryptsBeforeDiscovery: Bool
  /// True if services end before the link when a client disconnects.
  let endsServicesBeforeLink: Bool
  /// True if it signals the end of a link with its reason, after the end of the services.
  let signalsDisconnected: Bool
  /// True if a refused pairing ends the link as a client's Disconnect does.
  let disconnectsAfterRefusal: Bool
  /// True if the end of the link leaves a request unanswered that waits for pairing.
  let losesSuspendedRequest: Bool
  /// True if a failed pairing removes the device even while it is connected.
  let forgetsConnectedDevice: Bool

  // MARK: Values

  /// True if AcquireNotify takes indications, since 5.80.
  let acquiresIndications: Bool
  /// True if a failed AcquireNotify is answered, since 5.84; before, the characteristic stays acquired.
  let answersFailedAcquire: Bool
  /// The bytes of the request that count towards the 512 of a value written without Prepare Write.
  let unpreparedWriteOverhead: Int
  /// True if each central has a notification socket of its own.
  let hasSocketPerCentral: Bool
  /// True if the end of one central's socket ends the sockets of all.
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
    losesSuspendedRequest = is82
    forgetsConnectedDevice = !is82
    acquiresIndications = is82
    answersFailedAcquire = is87
    unpreparedWriteOverhead = is82 ? 0 : 2
    hasSocketPerCentral = is82
    endsAllSockets = is82
  }
}
