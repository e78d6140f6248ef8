// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// The attributes of a device as objects on the bus, which the daemon caches beyond the link.
final class RemoteGATT {
  /// Services that plugins of the daemon claim: hidden or, in later releases, read-only.
  private static let claimed: Set<BluetoothUUID> = [
    BluetoothUUID(0x1800), BluetoothUUID(0x1812), BluetoothUUID(0x1813),
  ]
  private static let productID = BluetoothUUID(0x2A50)

  unowned let device: DeviceObject
  private(set) var services: [RemoteService] = []
  private var byValueHandle: [UInt16: RemoteCharacteristic] = [:]
  /// The link, while requests can be sent.
  private(set) var link: CentralLink?
  private var batteryHandle: UInt16?
  /// The changes that the device has reported, up to the objects.
  private var knownChanges = 0

  init(_ device: DeviceObject) { self.device = device }

  var hasServices: Bool { !services.isEmpty }
  private var characteristics: [RemoteCharacteristic] { services.flatMap(\.characteristics) }

  // MARK: Objects

  /// Exports the objects, parents before children, unless they are cached.
  func build() {
    guard services.isEmpty else { return }
    knownChanges = device.peripheral.reportedChanges
    for service in visible { add(service) }
  }

  private var visible: [AttributeLayout.Service] {
    let all = device.peripheral.attributes.layout.services
    return device.daemon.behaviour.exportsClaimedServices
      ? all : all.filter { !RemoteGATT.isClaimed($0.uuid) }
  }

  static func isClaimed(_ service: BluetoothUUID) -> Bool { claimed.contains(service) }

  private func add(_ service: AttributeLayout.Service) {
    let remote = RemoteService(service, gatt: self)
    services.append(remote)
    remote.export()
    for characteristic in remote.characteristics {
      byValueHandle[characteristic.valueHandle] = characteristic
    }
  }

  /// Removes the services that are gone, and adds those that are new.
  ///
  /// Only a device that reports a change (Service Changed) makes the daemon look into services that are still there. If
  /// they are resolved already, it makes all of them anew, and clients lose their subscriptions.
  func refresh() {
    guard !services.isEmpty else { return }
    let current = visible
    let looksInside = knownChanges != device.peripheral.reportedChanges
    knownChanges = device.peripheral.reportedChanges
    let replacesAll = looksInside && device.services.phase == .resolved
    for service in services
    where replacesAll || !current.contains(where: { service.shows($0, wholly: looksInside) }) {
      services.removeAll { $0 === service }
      for characteristic in service.characteristics {
        byValueHandle[characteristic.valueHandle] = nil
        characteristic.abandonSockets()
      }
      service.remove()
    }
    for service in current where !services.contains(where: { $0.shows(service, wholly: looksInside) }) {
      add(service)
    }
  }

  /// Removes the objects from the bus, children before parents.
  func removeAll() {
    for service in services { service.remove() }
    services = []
    byValueHandle = [:]
  }

  // MARK: The link

  /// Allows requests once the daemon has discovered the services; until then, calls fail.
  func attach(_ link: CentralLink) { self.link = link }

  /// Stops requests, but keeps the sessions of clients.
  func detach() {
    guard link != nil else { return }
    link = nil
    batteryHandle = nil
    for characteristic in characteristics { characteristic.linkLost() }
  }

  func restoreSessions() {
    for characteristic in characteristics { characteristic.restoreSessions() }
  }

  func clientLeft(_ name: String) {
    for characteristic in characteristics { characteristic.clientLeft(name) }
  }

  func characteristic(valueHandle: UInt16) -> RemoteCharacteristic? { byValueHandle[valueHandle] }

  func received(_ value: [UInt8], from valueHandle: UInt16) {
    if valueHandle == batteryHandle, let level = value.first { device.setBattery(level) }
    byValueHandle[valueHandle]?.received(value)
  }

  /// True if a client reads its notification socket too slowly.
  var isCongested: Bool { characteristics.contains { $0.notifySocket?.isCongested ?? false } }

  // MARK: The daemon's own reads

  /// Reads the values for the daemon's plugins, and subscribes to the battery level.
  func readForDaemon() {
    batteryHandle = device.peripheral.attributes.layout.valueHandle(of: .batteryLevel)
    read(batteryHandle) { gatt, value in
      guard let handle = gatt.batteryHandle, let level = value.first else { return }
      gatt.device.setBattery(level)
      gatt.byValueHandle[handle]?.subscribeForDaemon()
    }
    read(device.peripheral.attributes.layout.valueHandle(of: RemoteGATT.productID)) {
      $0.device.setProductID($1)
    }
  }

  private func read(_ handle: UInt16?, then: @escaping (RemoteGATT, [UInt8]) -> Void) {
    guard let link, let handle else { return }
    link.read(handle) { [weak self] outcome in
      if let self, self.link === link, case .success(let value) = outcome { then(self, value) }
    }
  }
}

extension InterfaceDescription {
  static let gattService = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattService,
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Device", "o"),
        Property("Primary", "b"), Property("Includes", "ao"),
      ]))

  static let gattCharacteristic = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattCharacteristic,
      methods: [
        Method("ReadValue", ["options:a{sv}"], returns: ["value:ay"]),
        Method("WriteValue", ["value:ay", "options:a{sv}"]),
        Method("AcquireWrite", ["options:a{sv}"], returns: ["fd:h", "mtu:q"]),
        Method("AcquireNotify", ["options:a{sv}"], returns: ["fd:h", "mtu:q"]),
        Method("StartNotify"), Method("StopNotify"),
      ],
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Service", "o"),
        Property("Value", "ay"), Property("Notifying", "b"),
        Property("Flags", "as"), Property("WriteAcquired", "b"), Property("NotifyAcquired", "b"),
        Property("MTU", "q"),
      ]))

  static let gattDescriptor = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattDescriptor,
      methods: [
        Method("ReadValue", ["options:a{sv}"], returns: ["value:ay"]),
        Method("WriteValue", ["value:ay", "options:a{sv}"]),
      ],
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Characteristic", "o"),
        Property("Value", "ay"),
      ]))
}

/// The options of ReadValue and WriteValue; unknown ones are ignored.
struct ValueOptions {
  var offset = 0
  /// The type of write, in lower case.
  var type: String?

  /// - Throws: ``BlueZError`` if a known option has the wrong type.
  init(_ value: DBusValue?, forWriting: Bool) throws(BlueZError) {
    guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
    for entry in entries {
      switch (entry.key.text, entry.value.unwrapped) {
      case ("offset", .uint16(let offset)): self.offset = Int(offset)
      case ("type", .string(let type)): self.type = type.lowercased()
      case ("offset", _): throw .invalidArguments
      case ("type", _) where forWriting: throw .invalidArguments
      default: break
      }
    }
  }
}

extension MethodCall {
  /// Fails with the error of a peripheral, unless bluetoothd never answers.
  func fail(_ error: ATTErrorCode) {
    if error.isReported { fail(error.onBus) }
  }
}
