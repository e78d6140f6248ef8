// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A device as the daemon knows it (`Device1`): what was heard, the link, and the attributes found over it.
final class DeviceObject: ExportedInterface {
  let description = InterfaceDescription.device
  let peripheral: Peripheral
  unowned let adapter: AdapterObject
  let path: String
  /// The how many-th device of its adapter it is.
  var number = 0
  /// Whether it is forgotten when it is not heard of for a while.
  var isTemporary = true
  /// Whether it goes as soon as its link has ended.
  private(set) var isForgotten = false
  var isConnectable = true
  private(set) var heard = HeardData()
  private var alias: String?
  private(set) var isTrusted = false
  private var isBlocked = false
  /// The product as the Device Information service tells it.
  private var modalias: String?
  private var lastSeen = LoopClock.now

  /// The connection, from the link's coming up to its end.
  var link: Link?
  var isConnected = false
  var areServicesResolved = false
  /// The services of the GATT server, once they were found.
  var foundServices: [String] = []
  var attempt: ConnectionAttempt?
  /// Whether there is a key for links with it, and whether that outlives the link.
  var isPaired = false
  var isBonded = false
  /// The call of Pair that is under way.
  var pairing: MethodCall?
  var disconnecting: [MethodCall] = []
  var isDisconnecting = false
  var battery: BatteryObject?
  private(set) lazy var gatt = RemoteGATT(self)

  var daemon: Daemon { adapter.daemon }
  var address: String { peripheral.spec.address }
  var name: String? { heard.name }

  init(_ peripheral: Peripheral, adapter: AdapterObject, record: Storage.Record? = nil) {
    self.peripheral = peripheral
    self.adapter = adapter
    path = "\(adapter.path)/\(BlueZ.deviceElement(peripheral.spec.address))"
    guard let record else { return }
    isTemporary = false
    heard.name = record.name
    foundServices = record.services
    isTrusted = record.isTrusted
    isBlocked = record.isBlocked
    isPaired = record.isPaired
    isBonded = record.isPaired
  }

  func changed(_ property: String) { daemon.tree.changed(property, of: BlueZ.device, at: path) }

  // MARK: Coming and going

  /// It is on the bus now.
  func exported() { expectOblivion(after: daemon.timing.temporaryDevice) }

  func wasSeen() { lastSeen = LoopClock.now }

  private func expectOblivion(after delay: Duration) {
    daemon.agenda.schedule(after: delay) { [weak self] in
      guard let self, !adapter.isRemoved, adapter.device(address) === self else { return }
      let silence = LoopClock.now - lastSeen
      let limit = daemon.timing.temporaryDevice
      if isTemporary, !isConnected, silence >= limit {
        daemon.storage.forget(address, at: adapter.spec.address)
        adapter.remove(self)
      } else {
        expectOblivion(after: max(limit - silence, .milliseconds(10)))
      }
    }
  }

  /// Private addresses change: such a device stays temporary whatever happens.
  private var hasPrivateAddress: Bool {
    guard !peripheral.spec.isAddressPublic, let first = UInt8(address.prefix(2), radix: 16) else {
      return false
    }
    return first < 0x80
  }

  /// More than heard of: it is remembered on disk.
  func makePermanent() {
    guard !hasPrivateAddress else { return }
    isTemporary = false
    store()
  }

  func store() {
    guard !isTemporary else { return }
    daemon.storage.keep(
      Storage.Record(
        name: name, services: foundServices, isTrusted: isTrusted, isBlocked: isBlocked,
        isPaired: isBonded),
      of: address, at: adapter.spec.address)
  }

  /// RemoveDevice: a connected device is disconnected first.
  func forget(answering call: MethodCall) {
    daemon.storage.forget(address, at: adapter.spec.address)
    isTemporary = true
    if isConnected {
      isForgotten = true
      disconnect(call)
    } else {
      adapter.remove(self)
      call.reply()
    }
  }

  /// It is no longer in its adapter's list: takes everything from the bus, bottom-up.
  ///
  /// A call of Connect that waits is never answered: so it is in this version.
  func removed() {
    attempt?.withdraw(daemon.agenda)
    attempt = nil
    dropLinkNow()
    setBattery(nil)
    gatt.removeAll()
    daemon.tree.unregister(BlueZ.device, at: path)
  }

  // MARK: Advertisements

  /// Takes in what a report says.
  ///
  /// - Parameters:
  ///   - report: what was heard.
  ///   - anyStrengthChange: whether every signal strength is told, or only one that differs a good deal.
  ///   - replacesData: whether data replace what was known, and are told though the same.
  func take(_ report: AdvertisingReport, anyStrengthChange: Bool, replacesData: Bool) {
    wasSeen()
    isConnectable = report.advertisement.isConnectable
    for property in heard.take(report, anyStrengthChange: anyStrengthChange, replacesData: replacesData) {
      if property == "UUIDs", !foundServices.isEmpty { continue }
      changed(property)
    }
  }

  /// The last discovery is over: the strength is out of date.
  func notHeardAnyMore() {
    for property in heard.forgetStrength() { changed(property) }
  }

  /// Takes in a PnP ID: who gave the vendor's number (Bluetooth or USB), vendor, product, version.
  func setProductID(_ bytes: [UInt8]) {
    guard bytes.count == 7, let source = [1: "bluetooth", 2: "usb"][bytes[0]] else { return }
    let numbers = [1, 3, 5].map {
      hexadecimal(UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8, digits: 4).uppercased()
    }
    let text = "\(source):v\(numbers[0])p\(numbers[1])d\(numbers[2])"
    guard text != modalias else { return }
    modalias = text
    changed("Modalias")
  }

  // MARK: Properties

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Address": .string(address)
    case "AddressType": .string(peripheral.spec.isAddressPublic ? "public" : "random")
    case "Name": heard.name.map { .string($0) }
    case "Alias": .string(alias ?? heard.name ?? String(address.map { $0 == ":" ? "-" : $0 }))
    case "Appearance": heard.appearance.map { .uint16($0) }
    case "Icon": heard.appearance.flatMap { AppearanceIcon.name(of: $0) }.map { .string($0) }
    case "Paired": .boolean(isPaired)
    case "Bonded": .boolean(isBonded)
    case "LegacyPairing": .boolean(false)
    case "Trusted": .boolean(isTrusted)
    case "Blocked": .boolean(isBlocked)
    case "RSSI": heard.rssi.map { .int16($0) }
    case "Connected": .boolean(isConnected)
    case "UUIDs": .strings(foundServices.isEmpty ? heard.services : foundServices)
    case "Modalias": modalias.map { .string($0) }
    case "Adapter": .objectPath(adapter.path)
    case "ManufacturerData": heard.manufacturerDataValue
    case "ServiceData": heard.serviceDataValue
    case "TxPower": heard.txPower.map { .int16($0) }
    case "ServicesResolved": .boolean(areServicesResolved)
    default: nil
    }
  }

  func set(_ property: String, to value: DBusValue, answering call: MethodCall) {
    let before = self.value(of: property)
    switch (property, value) {
    case ("Alias", .string(let text)): alias = text.isEmpty ? nil : text
    case ("Trusted", .boolean(let isOn)): isTrusted = isOn
    case ("Blocked", .boolean(let isOn)):
      isBlocked = isOn
      if isOn { makePermanent() }
    default: return call.fail(.invalidArguments)
    }
    store()
    if self.value(of: property) != before { changed(property) }
    call.reply()
  }

  // MARK: Methods

  func perform(_ method: String, _ call: MethodCall) {
    switch method {
    case "Connect": connect(call)
    case "Disconnect": disconnect(call)
    case "Pair": pair(call)
    case "CancelPairing": cancelPairing(call)
    // Profiles are found by SDP, which needs BR/EDR.
    case "ConnectProfile": call.fail(.failed("br-connection-sdp-search"))
    default: call.fail(.invalidArguments)
    }
  }
}
