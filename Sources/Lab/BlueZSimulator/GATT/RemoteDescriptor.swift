// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

/// `GattDescriptor1` of a peripheral.
final class RemoteDescriptor: ExportedInterface {
  var description: InterfaceDescription {
    InterfaceDescription.gattDescriptor[characteristic.device.daemon.version]
  }
  let path: String
  let uuid: BluetoothUUID
  let handle: UInt16
  private unowned let characteristic: RemoteCharacteristic
  private lazy var calls = AttributeCalls(handle: handle)

  init(_ descriptor: AttributeLayout.Descriptor, characteristic: RemoteCharacteristic) {
    self.characteristic = characteristic
    uuid = descriptor.spec.uuid
    handle = descriptor.handle
    path = "\(characteristic.path)/desc\(descriptor.handle.fourDigits)"
  }

  private var tree: ObjectTree { characteristic.tree }

  func export() { tree.register(self, at: path) }

  func remove() { tree.unregister(BlueZName.gattDescriptor, at: path) }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Handle": .uint16(handle)
    case "UUID": .string(uuid.longForm)
    case "Characteristic": .objectPath(characteristic.path)
    case "Value": .bytes(calls.kept.bytes)
    default: nil
    }
  }

  func perform(_ method: String, _ call: MethodCall) {
    guard let link = characteristic.link else { return call.fail(.failed("Not connected")) }
    switch method {
    case "ReadValue":
      calls.read(call, over: link) { [weak self] in
        guard let self else { return }
        tree.changed("Value", of: BlueZName.gattDescriptor, at: path)
      }
    default:
      let isClaimed = characteristic.service.isClaimed
      guard let (bytes, options) = calls.arguments(of: call, isClaimed: isClaimed) else { return }
      guard uuid != AttributeLayout.clientConfiguration else {
        return call.fail(.notPermitted("Write not permitted"))
      }
      calls.write(bytes, at: options.offset, for: call, over: link)
    }
  }
}
