// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import PeripheralEmulator

/// The discovery of the services of a device over its link.
final class ServiceDiscovery {
  private unowned let device: DeviceObject
  var phase = DiscoveryPhase.pending
  /// The primary services that were found; they outlive the link.
  var found: [BluetoothUUID] = []

  init(_ device: DeviceObject) { self.device = device }

  /// Discovers the services, or asks whether the known ones are still right.
  ///
  /// Known attributes are used at once; subscriptions to them are renewed before the services are resolved.
  func discover(over link: CentralLink) {
    let (peripheral, gatt) = (device.peripheral, device.gatt)
    let delay =
      device.daemon.timing.serviceDiscovery + (peripheral.faults[DelayServices.self]?.delay ?? .zero)
    let areKnown = gatt.hasServices
    if areKnown {
      gatt.attach(link)
      gatt.restoreSessions()
      gatt.readForDaemon()
    }
    device.link.after(delay, over: link) { [unowned self] _ in
      guard link.isUsable else { return }
      link.exchange(peripheral.attributes.layout.requestCount(areServicesKnown: areKnown)) { [weak self] in
        self?.discovered(over: link, wereKnown: areKnown)
      }
    }
  }

  private func discovered(over link: CentralLink, wereKnown: Bool) {
    let device = device  // which the end of the link may remove
    guard device.link.current === link, link.isUsable else { return }
    let pairing = device.bond.succeeded(over: link)
    if wereKnown { confirm(over: link) } else { build(over: link) }
    pairing?.reply()
  }

  private func build(over link: CentralLink) {
    let gatt = device.gatt
    gatt.attach(link)
    switch device.peripheral.faults[OrderServices.self]?.order ?? .objectsFirst {
    case .objectsFirst: gatt.build()
    case .resolvedFirst:
      resolved()
      device.daemon.tree.flush()
      gatt.build()
    case .objectsLate(let delay):
      device.link.after(delay, over: link) { [device] _ in
        gatt.build()
        device.store()
      }
    }
    resolved()
    device.makePermanent()
    gatt.readForDaemon()
  }

  private func confirm(over link: CentralLink) {
    link.afterRequests { [weak self] in
      guard let self, device.link.current === link else { return }
      device.gatt.refresh()
      resolved()
    }
  }

  private func resolved() {
    guard phase.resolve() else { return }
    device.changed("ServicesResolved")
    updateList()
  }

  /// Follows a change of the services of the peripheral.
  func changed() {
    guard phase == .resolved else { return }
    device.gatt.refresh()
    updateList()
  }

  private func updateList() {
    let services = device.peripheral.attributes.layout.services.filter(\.spec.isPrimary).map(\.uuid).sorted()
    guard services != found else { return }
    found = services
    device.changed("UUIDs")
  }

  func end() { if phase.end() { device.changed("ServicesResolved") } }
}
