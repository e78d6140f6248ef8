// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// A device as the daemon knows it (`Device1`): its advertisements, its link and its attributes.
final class DeviceObject: ExportedInterface {
  var description: InterfaceDescription { InterfaceDescription.device[daemon.version] }
  let peripheral: any RadioPeer
  unowned let adapter: AdapterObject
  /// Does not change with the address.
  let path: String
  /// The address that the daemon knows: a private one until a bond resolves it.
  private(set) var knownAddress: String
  /// Its number in the order of discovery.
  var number = 0
  var presence = Presence.temporary
  private(set) var advertised = AdvertisementCache()
  private var alias: String?
  private(set) var isTrusted = false
  private(set) var isBlocked = false
  /// The product, from the PnP ID of the Device Information service.
  private var modalias: String?
  private var lastSeen = LoopClock.now
  private var battery: BatteryObject?
  private(set) lazy var link = DeviceLink(self)
  private(set) lazy var services = ServiceDiscovery(self)
  private(set) lazy var bond = DeviceBond(self)
  private(set) lazy var gatt = RemoteGATT(self)

  var daemon: DaemonContext { adapter.daemon }
  /// The address of the device itself, also while the daemon knows a private one.
  var address: String { peripheral.address }
  var name: String? { advertised.name }
  var isTemporary: Bool { presence != .permanent }
  var isDisconnecting: Bool { link.phase.isClosing }

  init(_ peripheral: any RadioPeer, adapter: AdapterObject, record: Storage.Record? = nil) {
    self.peripheral = peripheral
    self.adapter = adapter
    knownAddress = record == nil ? peripheral.sentAddress : peripheral.address
    path = "\(adapter.path)/\(BlueZName.deviceElement(knownAddress))"
    guard let record else { return }
    presence = .permanent
    advertised.name = record.name
    services.found = record.services
    isTrusted = record.isTrusted
    isBlocked = record.isBlocked
    bond.state = PairingState(bond: record.key)
  }

  func changed(_ property: String) { daemon.tree.changed(property, of: BlueZName.device, at: path) }

  // MARK: Coming and going

  /// Starts its expiry, now that it is on the bus.
  func exported() { scheduleExpiry(after: daemon.timing.temporaryDevice) }

  func wasSeen() { lastSeen = LoopClock.now }

  /// The discovery takes nothing else from this report.
  func wasSeen(connectable: Bool) {
    wasSeen()
    advertised.isConnectable = connectable
  }

  private func scheduleExpiry(after delay: Duration) {
    daemon.timers.schedule(after: delay) { [weak self] in
      guard let self, !adapter.isRemoved, adapter.has(self) else { return }
      let silence = LoopClock.now - lastSeen
      let limit = daemon.timing.temporaryDevice
      if presence.expires(isConnected: link.phase.isConnected), silence >= limit {
        daemon.storage.forget(address, at: adapter.spec.address)
        link.current?.abandonRequests()
        adapter.remove(self)
      } else {
        scheduleExpiry(after: max(limit - silence, .milliseconds(10)))
      }
    }
  }

  /// Private addresses change, so such a device stays temporary until its own address is known.
  private var hasPrivateAddress: Bool {
    guard !isAddressPublic, let first = UInt8(knownAddress.prefix(2), radix: 16) else { return false }
    return first < 0x80
  }

  private var isAddressPublic: Bool { peripheral.isAddressPublic && knownAddress == address }

  /// True if the peripheral can be reached by the address that the daemon knows.
  ///
  /// Only the keys of a bond show that a device with another private address is the same.
  var isAddressCurrent: Bool { knownAddress == peripheral.sentAddress || bond.state.isBonded }

  var isReachable: Bool { peripheral.isReachable && isAddressCurrent }

  /// The key that resolves a private address is known.
  func addressResolved() {
    guard knownAddress != address else { return }
    knownAddress = address
    changed("Address")
    changed("AddressType")
    adapter.addressChanged(of: self)
  }

  func makePermanent() {
    guard !hasPrivateAddress else { return }
    presence.keep()
    store()
  }

  func store() {
    guard !isTemporary else { return }
    daemon.storage.keep(
      Storage.Record(
        name: name, services: services.found, isTrusted: isTrusted, isBlocked: isBlocked,
        key: bond.state.isBonded ? bond.state.knownKey : nil),
      of: address, at: adapter.spec.address)
  }

  /// RemoveDevice: a connected device is disconnected first.
  func forget(answering call: MethodCall) {
    daemon.storage.forget(address, at: adapter.spec.address)
    adapter.peer.pairing.forgetBond(with: address)
    presence = .forgotten
    if link.phase.isConnected {
      link.disconnect(call)
    } else {
      adapter.remove(self)
      call.reply()
    }
  }

  /// Removes everything from the bus, bottom-up; as in BlueZ 5.66, a pending call of Connect is never answered.
  func removed() {
    link.withdrawAttempt()
    bond.removed()
    link.drop()
    setBattery(nil)
    gatt.removeAll()
    daemon.tree.unregister(BlueZName.bearer, at: path)
    daemon.tree.unregister(BlueZName.device, at: path)
  }

  // MARK: Advertisements

  func take(_ report: AdvertisingReport, anyStrengthChange: Bool, replacesData: Bool) {
    wasSeen()
    let changes = advertised.take(
      report, anyStrengthChange: anyStrengthChange, replacesData: replacesData,
      listsDataServices: daemon.behaviour.listsDataServices)
    for property in changes where property != "UUIDs" || services.found.isEmpty { changed(property) }
  }

  func discoveryEnded() { for property in advertised.forgetStrength() { changed(property) } }

  /// Applies a PnP ID: source of the vendor number (Bluetooth or USB), vendor, product, version.
  func setProductID(_ bytes: [UInt8]) {
    guard bytes.count == 7, let source = [1: "bluetooth", 2: "usb"][bytes[0]] else { return }
    let numbers = [1, 3, 5].map { Hex.string([bytes[$0 + 1], bytes[$0]]).uppercased() }
    let text = "\(source):v\(numbers[0])p\(numbers[1])d\(numbers[2])"
    guard text != modalias else { return }
    modalias = text
    changed("Modalias")
  }

  /// Shows, changes or removes the level; an invalid percentage is ignored.
  func setBattery(_ level: UInt8?) {
    guard let level else {
      if battery != nil { daemon.tree.unregister(BlueZName.battery, at: path) }
      return battery = nil
    }
    guard level <= 100, level != battery?.percentage else { return }
    if let battery {
      battery.percentage = level
      daemon.tree.changed("Percentage", of: BlueZName.battery, at: path)
    } else {
      let battery = BatteryObject(level, version: daemon.version)
      self.battery = battery
      daemon.tree.register(battery, at: path)
    }
  }

  // MARK: Properties

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Address": .string(knownAddress)
    case "AddressType": .string(isAddressPublic ? "public" : "random")
    case "Name": advertised.name.map { .string($0) }
    case "Alias": .string(alias ?? advertised.name ?? String(knownAddress.map { $0 == ":" ? "-" : $0 }))
    case "Appearance": advertised.appearance.map { .uint16($0) }
    case "Icon": advertised.appearance.flatMap { AppearanceIcon.name(of: $0) }.map { .string($0) }
    case "Paired": .boolean(bond.state.isPaired)
    case "Bonded": .boolean(bond.state.isBonded)
    case "LegacyPairing", "CablePairing": .boolean(false)
    case "Trusted": .boolean(isTrusted)
    case "Blocked": .boolean(isBlocked)
    case "RSSI": advertised.rssi.map { .int16($0) }
    case "Connected": .boolean(link.phase.isConnected)
    case "UUIDs": .strings((services.found.isEmpty ? advertised.services : services.found).map(\.longForm))
    case "Modalias": modalias.map { .string($0) }
    case "Adapter": .objectPath(adapter.path)
    case "ManufacturerData": advertised.manufacturerDataValue
    case "ServiceData": advertised.serviceDataValue
    case "AdvertisingFlags": advertised.flags.map { .bytes([$0]) }
    case "TxPower": advertised.txPower.map { .int16($0) }
    case "ServicesResolved": .boolean(services.phase == .resolved)
    default: nil
    }
  }

  func set(_ property: String, to value: DBusValue, answering call: MethodCall) {
    let before = self.value(of: property)
    switch (property, value) {
    case ("Alias", .string(let text)): alias = text.isEmpty ? nil : text
    case ("Trusted", .boolean(let isOn)): isTrusted = isOn
    case ("Blocked", .boolean(let isOn)): setBlocked(isOn)
    default: return call.fail(.invalidArguments)
    }
    store()
    if self.value(of: property) != before { changed(property) }
    call.reply()
  }

  /// Keeps the device out, or no longer.
  private func setBlocked(_ isOn: Bool) {
    isBlocked = isOn
    guard isOn else { return daemon.medium.arrived() }
    makePermanent()
    link.close()
  }

  // MARK: Methods

  /// Profiles are found by SDP, which needs BR/EDR.
  private func connectProfile(_ call: MethodCall) {
    let isProfile = call.argument(0)?.text.flatMap { BluetoothUUID(bluez: $0) } != nil
    guard isProfile || !daemon.behaviour.checksProfile else {
      return call.fail(.invalidArguments("br-connection-invalid-argument"))
    }
    call.fail(.failed("br-connection-sdp-search"))
  }

  func perform(_ method: String, _ call: MethodCall) {
    switch method {
    case "Connect": link.connect(call)
    case "Disconnect": link.disconnect(call)
    case "Pair": bond.pair(call)
    case "CancelPairing": bond.cancel(call)
    case "ConnectProfile": connectProfile(call)
    default: call.fail(.invalidArguments)
    }
  }
}
