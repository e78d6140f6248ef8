// SPDX-License-Identifier: MIT
internal import DBus

/// `GattService1` of a peripheral.
final class RemoteService: ExportedInterface {
  let description = InterfaceDescription.gattService
  let path: String
  unowned let gatt: RemoteGATT
  private let uuid: AttributeUUID
  private(set) var characteristics: [RemoteCharacteristic] = []

  init(_ service: AttributeLayout.Service, gatt: RemoteGATT) {
    self.gatt = gatt
    uuid = service.uuid
    path = "\(gatt.device.path)/service\(hexadecimal(service.handle, digits: 4))"
    characteristics = service.characteristics.map { RemoteCharacteristic($0, service: self) }
  }

  func export() {
    gatt.device.daemon.tree.register(self, at: path)
    for characteristic in characteristics { characteristic.export() }
  }

  func remove() {
    for characteristic in characteristics { characteristic.remove() }
    gatt.device.daemon.tree.unregister(BlueZ.gattService, at: path)
  }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "UUID": .string(uuid.text)
    case "Device": .objectPath(gatt.device.path)
    case "Primary": .boolean(true)
    case "Includes": .objectPaths([])
    default: nil
    }
  }
}
