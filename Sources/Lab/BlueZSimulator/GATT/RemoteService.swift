// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

/// `GattService1` of a peripheral.
final class RemoteService: ExportedInterface {
  var description: InterfaceDescription { InterfaceDescription.gattService[gatt.device.daemon.version] }
  let path: String
  unowned let gatt: RemoteGATT
  private let service: AttributeLayout.Service
  private(set) var characteristics: [RemoteCharacteristic] = []

  init(_ service: AttributeLayout.Service, gatt: RemoteGATT) {
    self.gatt = gatt
    self.service = service
    path = RemoteService.path(service.handle, gatt)
    characteristics = service.characteristics.map { RemoteCharacteristic($0, service: self) }
  }

  /// True if a plugin of the daemon uses it, so that clients can only read it.
  var isClaimed: Bool { RemoteGATT.isClaimed(service.uuid) }

  /// Returns whether it stands for a service; `wholly` compares the characteristics, too.
  func shows(_ other: AttributeLayout.Service, wholly: Bool) -> Bool {
    service.handle == other.handle && service.uuid == other.uuid
      && (!wholly || service.hasAttributes(of: other))
  }

  private static func path(_ handle: UInt16, _ gatt: RemoteGATT) -> String {
    "\(gatt.device.path)/service\(handle.fourDigits)"
  }

  func export() {
    gatt.device.daemon.tree.register(self, at: path)
    for characteristic in characteristics { characteristic.export() }
  }

  func remove() {
    for characteristic in characteristics { characteristic.remove() }
    gatt.device.daemon.tree.unregister(BlueZName.gattService, at: path)
  }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Handle": .uint16(service.handle)
    case "UUID": .string(service.uuid.longForm)
    case "Device": .objectPath(gatt.device.path)
    case "Primary": .boolean(service.spec.isPrimary)
    case "Includes": .objectPaths(service.includes.map { RemoteService.path($0, gatt) })
    default: nil
    }
  }
}
