// SPDX-License-Identifier: MIT

/// The attributes of a device as objects on the bus.
///
/// They stay when the link ends: the daemon caches them.
final class RemoteGATT {
  /// Services that plugins of the daemon claim: they are not shown.
  private static let hidden: Set<AttributeUUID> = [
    AttributeUUID(0x1800), AttributeUUID(0x1812), AttributeUUID(0x1813),
  ]
  private static let batteryLevel = AttributeUUID(0x2A19)
  private static let productID = AttributeUUID(0x2A50)

  unowned let device: DeviceObject
  private(set) var services: [RemoteService] = []
  private var byValueHandle: [UInt16: RemoteCharacteristic] = [:]
  /// The link while requests can be sent over it.
  private(set) var link: Link?
  private var batteryHandle: UInt16?

  init(_ device: DeviceObject) { self.device = device }

  var hasServices: Bool { !services.isEmpty }
  private var characteristics: [RemoteCharacteristic] { services.flatMap(\.characteristics) }

  // MARK: Objects

  /// Exports the objects, parents before children; nothing when they are there from an earlier connection.
  func build() {
    guard services.isEmpty else { return }
    for service in device.peripheral.server.layout.services where !RemoteGATT.hidden.contains(service.uuid) {
      let remote = RemoteService(service, gatt: self)
      services.append(remote)
      remote.export()
      for characteristic in remote.characteristics {
        byValueHandle[characteristic.valueHandle] = characteristic
      }
    }
  }

  /// Takes the objects from the bus, children before parents.
  func removeAll() {
    for service in services { service.remove() }
    services = []
    byValueHandle = [:]
  }

  // MARK: The link

  /// Requests can be sent: the daemon has looked through the services.
  ///
  /// Before that every call finds no connection.
  func attach(_ link: Link) { self.link = link }

  /// Requests can no longer be sent; sessions of clients stay.
  func detach() {
    guard link != nil else { return }
    link = nil
    batteryHandle = nil
    for characteristic in characteristics { characteristic.linkLost() }
  }

  /// Subscribes again for the sessions that have outlived a link.
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

  /// Whether a client does not keep up with the socket that it reads notifications from.
  var isCongested: Bool { characteristics.contains { $0.notifySocket?.isCongested ?? false } }

  // MARK: What the daemon reads for itself

  /// Reads what plugins of the daemon want to know.
  func readForDaemon() {
    readBattery()
    readProductID()
  }

  private func readProductID() {
    guard let link, let handle = device.peripheral.server.find(RemoteGATT.productID) else { return }
    link.read(handle) { [weak self] outcome in
      guard let self, self.link === link, case .success(let value) = outcome else { return }
      device.setProductID(value)
    }
  }

  /// Reads the level of the battery and subscribes to it.
  private func readBattery() {
    let handle = device.peripheral.server.find(RemoteGATT.batteryLevel)
    guard let link, let handle else { return }
    batteryHandle = handle
    link.read(handle) { [weak self] outcome in
      guard let self, self.link === link, case .success(let value) = outcome, let level = value.first else {
        return
      }
      device.setBattery(level)
      byValueHandle[handle]?.subscribeForDaemon()
    }
  }
}
