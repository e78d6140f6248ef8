// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

extension InterfaceDescription {
  static let adapter = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.adapter,
      methods: [
        Method("StartDiscovery"), Method("SetDiscoveryFilter", ["properties:a{sv}"]), Method("StopDiscovery"),
        Method("RemoveDevice", ["device:o"]), Method("GetDiscoveryFilters", returns: ["filters:as"]),
      ],
      properties: [
        Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
        Property("Alias", "s", isWritable: true), Property("Class", "u"),
        Property("Connectable", "b", isWritable: true, since: .v5_82),
        Property("Powered", "b", isWritable: true), Property("PowerState", "s", since: .v5_82),
        Property("Discoverable", "b", isWritable: true),
        Property("DiscoverableTimeout", "u", isWritable: true), Property("Pairable", "b", isWritable: true),
        Property("PairableTimeout", "u", isWritable: true), Property("Discovering", "b"),
        Property("UUIDs", "as"),
        Property("Modalias", "s"), Property("Roles", "as"), Property("ExperimentalFeatures", "as"),
        Property("Manufacturer", "q", since: .v5_82), Property("Version", "y", since: .v5_82),
      ]))
}

/// An adapter on the bus (`Adapter1`) and everything that belongs to it.
final class AdapterObject: ExportedInterface {
  var description: InterfaceDescription { InterfaceDescription.adapter[daemon.version] }
  let spec: AdapterSpec
  let path: String
  unowned let daemon: DaemonContext
  let connectionSlot = ConnectionSlot()
  private(set) var isPowered: Bool
  var isBlocked: Bool
  private var alias: String?
  private var isDiscoverable = false
  private var isConnectable = false
  private var timeouts: [String: UInt32] = ["DiscoverableTimeout": 180, "PairableTimeout": 0]
  private(set) var isPairable = false
  /// The call that is changing the power.
  var pendingPower: MethodCall?
  var discovery = DiscoveryState()
  /// The cure for the adapter's silence; nil if it hears.
  var silence: AdapterCure?
  /// The cure that makes the adapter connect again; nil if it connects.
  var ignoredConnects: AdapterCure?
  /// Passive scanning, if experimental features are on.
  private(set) var monitors: MonitorManager?
  /// The attributes that it offers to centrals.
  private(set) lazy var database = LocalDatabase(
    daemon: daemon, adapterPath: path,
    device: { [weak self] in self?.device($0) },
    name: { [weak self] in self?.name ?? "" })
  private(set) lazy var peer = makePeer()
  private(set) lazy var gattManager = GATTManager(self, database)
  private lazy var advertising = AdvertisingManager(self)
  /// The links of centrals that the daemon has not read about yet.
  var arriving: [any PeripheralLink] = []
  private let batteryProviders = BatteryProviderManager()
  /// The devices, oldest first.
  var devices: [DeviceObject] {
    (Array(devicesByAddress.values) + formerDevices).sorted { $0.number < $1.number }
  }
  private var lastDeviceNumber = 0
  private var devicesByAddress: [String: DeviceObject] = [:]
  /// The devices at private addresses that their peripherals no longer send.
  private var formerDevices: [DeviceObject] = []
  private(set) var isRemoved = false

  init(_ spec: AdapterSpec, daemon: DaemonContext) {
    self.spec = spec
    self.daemon = daemon
    path = "\(BlueZName.root)/\(spec.name)"
    isPowered = spec.isPowered
    isBlocked = spec.isBlocked
  }

  func export() {
    daemon.tree.register(self, at: path)
    if daemon.behaviour.hasBatteryProviders { daemon.tree.register(batteryProviders, at: path) }
    daemon.tree.register(gattManager, at: path)
    daemon.tree.register(MediaManager(daemon), at: path)
    // Exported later, in a separate signal.
    daemon.tree.flush()
    daemon.tree.register(advertising, at: path)
    if daemon.isExperimental {
      let monitors = MonitorManager(self)
      self.monitors = monitors
      daemon.tree.register(monitors, at: path)
    }
    for (address, record) in daemon.storage.devices(of: spec.address) {
      guard let peripheral = daemon.medium[address] else { continue }
      add(DeviceObject(peripheral, adapter: self, record: record))
    }
  }

  func changed(_ property: String) { daemon.tree.changed(property, of: BlueZName.adapter, at: path) }

  // MARK: Devices

  func device(_ address: String) -> DeviceObject? { devicesByAddress[address] }

  func has(_ device: DeviceObject) -> Bool {
    devicesByAddress[device.address] === device || formerDevices.contains { $0 === device }
  }

  private func device(at path: String?) -> DeviceObject? { devices.first { $0.path == path } }

  func add(_ device: DeviceObject) {
    lastDeviceNumber += 1
    device.number = lastDeviceNumber
    devicesByAddress[device.address] = device
    daemon.tree.register(device, at: device.path)
    if daemon.behaviour.hasBearer { daemon.tree.register(BearerObject(), at: device.path) }
    device.exported()
  }

  /// The device that the daemon takes a peripheral for, by the address that it sends; nil if it is new.
  ///
  /// A device whose private address has changed is another one, and the former one stays until it expires.
  func device(heardAs peripheral: any RadioPeer) -> DeviceObject? {
    if let last = device(peripheral.address) {
      if last.isAddressCurrent { return last }
      formerDevices.append(last)
      devicesByAddress[last.address] = nil
    }
    guard
      let index = formerDevices.firstIndex(where: { $0.peripheral === peripheral && $0.isAddressCurrent })
    else { return nil }
    let known = formerDevices.remove(at: index)
    devicesByAddress[known.address] = known
    return known
  }

  /// Handles a device that has another address than before.
  func addressChanged(of device: DeviceObject) { database.addressChanged(of: device.address) }

  /// Removes a device and everything below it from the bus.
  func remove(_ device: DeviceObject) {
    if let index = formerDevices.firstIndex(where: { $0 === device }) {
      formerDevices.remove(at: index)
    } else if devicesByAddress.removeValue(forKey: device.address) != nil {
      discovery.found.remove(device.address)
    } else {
      return
    }
    device.removed()
  }

  // MARK: Properties

  var name: String { alias ?? ownName }
  private var ownName: String { "BlueZ \(daemon.version.rawValue)" }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Address": .string(spec.address)
    case "AddressType": .string("public")
    case "Name": .string(ownName)
    case "Alias": .string(name)
    case "Class": .uint32(0)
    case "Connectable": .boolean(isConnectable)
    case "Powered": .boolean(isPowered)
    case "PowerState": .string(powerState)
    case "Discoverable": .boolean(isDiscoverable)
    case "DiscoverableTimeout", "PairableTimeout": timeouts[property].map { .uint32($0) }
    case "Pairable": .boolean(isPairable)
    case "Discovering": .boolean(discovery.isRunning)
    case "UUIDs":
      .strings(
        ([0x1801, 0x1800].map { BluetoothUUID($0) } + database.clientServices
          + [0x1200, 0x110C, 0x110E, 0x180A].map { BluetoothUUID($0) }).map(\.longForm))
    case "Modalias": .string("usb:v1D6Bp0246d05" + Hex.string([UInt8(daemon.version.number)]))
    case "Roles": .strings(["central", "peripheral"])
    case "Manufacturer": .uint16(0xFFFF)
    case "Version": .byte(9)
    default: nil
    }
  }

  func set(_ property: String, to value: DBusValue, answering call: MethodCall) {
    switch (property, value) {
    case ("Powered", .boolean(let isOn)): setPowered(isOn, answering: call)
    case ("Alias", .string(let text)):
      call.reply()
      alias = text.isEmpty ? nil : text
      changed(property)
    case ("Discoverable", .boolean(let isOn)):
      guard isPowered || !isOn else { return call.fail(.failed("Not Powered")) }
      call.reply()
      guard isOn != isDiscoverable else { return }
      setVisible(discoverable: isOn, connectable: isOn)
    case ("Connectable", .boolean(let isOn)):
      call.reply()
      setVisible(discoverable: isOn && isDiscoverable, connectable: isOn)
    case ("Pairable", .boolean(let isOn)):
      call.reply()
      setPairable(isOn)
    case ("DiscoverableTimeout", .uint32(let seconds)), ("PairableTimeout", .uint32(let seconds)):
      call.reply()
      guard seconds != timeouts[property] else { return }
      timeouts[property] = seconds
      changed(property)
    default: call.fail(.invalidArguments)
    }
  }

  /// Changes both: a device that is not connectable cannot be discoverable.
  private func setVisible(discoverable: Bool, connectable: Bool) {
    if connectable != isConnectable {
      isConnectable = connectable
      changed("Connectable")
      // The kernel needs two requests, but only one to end both.
      if connectable, discoverable, daemon.behaviour.signalsConnectableFirst { daemon.tree.flush() }
    }
    guard discoverable != isDiscoverable else { return }
    isDiscoverable = discoverable
    changed("Discoverable")
  }

  func setPairable(_ isOn: Bool) {
    guard isOn != isPairable else { return }
    isPairable = isOn
    changed("Pairable")
  }

  // MARK: Methods

  func perform(_ method: String, _ call: MethodCall) {
    switch method {
    case "StartDiscovery": startDiscovery(call)
    case "StopDiscovery": stopDiscovery(call)
    case "SetDiscoveryFilter": setDiscoveryFilter(call)
    case "GetDiscoveryFilters":
      call.reply { [keys = daemon.behaviour.discoveryFilterKeys] in $0.value(.strings(keys)) }
    default: removeDevice(call)
    }
  }

  private func removeDevice(_ call: MethodCall) {
    guard let device = device(at: call.argument(0)?.text) else {
      return call.fail(.doesNotExist)
    }
    guard isPowered else { return call.fail(.notReady) }
    device.forget(answering: call)
  }

  func clientLeft(_ name: String) {
    endDiscovery(of: name)
    monitors?.clientLeft(name)
    batteryProviders.clientLeft(name)
    for device in devices {
      device.gatt.clientLeft(name)
      device.bond.clientLeft(name)
    }
    gattManager.clientLeft(name)
    advertising.clientLeft(name)
  }

  // MARK: Power and the end

  /// Applies a change of power; its signals follow the reply.
  func powerChanged(to isOn: Bool) {
    isPowered = isOn
    daemon.updateListening()
    if !isOn { setVisible(discoverable: false, connectable: false) }
    changed("PowerState")
    changed("Powered")
  }

  /// Removes the adapter and its devices from the bus, as when it is unplugged or the daemon ends.
  func remove() {
    isRemoved = true
    abandonDiscovery()
    for device in devices {
      device.link.drop()
      remove(device)
    }
    if let monitors {
      daemon.tree.unregister(BlueZName.monitorManager, at: path)
      monitors.releaseAll()
    }
    advertising.releaseAll()
    for name in [
      BlueZName.advertisingManager, BlueZName.media, BlueZName.gattManager, BlueZName.batteryProviders,
      BlueZName.adapter,
    ] {
      daemon.tree.unregister(name, at: path)
    }
  }

  /// Closes links and sockets without signals.
  func abandon() {
    isRemoved = true
    abandonDiscovery()
    advertising.abandon()
    for device in devices { device.link.abandon() }
  }
}
