// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

/// `GattCharacteristic1` of a peripheral: its properties, reading and writing.
final class RemoteCharacteristic: ExportedInterface {
  var description: InterfaceDescription { InterfaceDescription.gattCharacteristic[device.daemon.version] }
  let path: String
  private let handle: UInt16
  let valueHandle: UInt16
  let properties: GATTProperties
  unowned let service: RemoteService
  private let spec: CharacteristicSpec
  private(set) var descriptors: [RemoteDescriptor] = []
  private lazy var calls = AttributeCalls(handle: valueHandle)
  private lazy var stream = ValueStream("Value", of: BlueZName.gattCharacteristic, at: path)
  var subscription = SubscriptionState()
  var notifySocket: AcquiredSocket?
  var writeSocket: AcquiredSocket?

  init(_ characteristic: AttributeLayout.Characteristic, service: RemoteService) {
    self.service = service
    spec = characteristic.spec
    handle = characteristic.handle
    valueHandle = characteristic.valueHandle
    properties = characteristic.spec.properties
    path = "\(service.path)/char\(characteristic.handle.fourDigits)"
    descriptors = characteristic.descriptors.map { RemoteDescriptor($0, characteristic: self) }
  }

  var device: DeviceObject { service.gatt.device }
  var tree: ObjectTree { device.daemon.tree }
  /// The link, while requests can be sent.
  var link: CentralLink? { service.gatt.link }

  func changed(_ property: String, isUrgent: Bool = false) {
    tree.changed(property, of: BlueZName.gattCharacteristic, at: path, isUrgent: isUrgent)
  }

  func export() {
    tree.register(self, at: path)
    for descriptor in descriptors { descriptor.export() }
  }

  func remove() {
    for descriptor in descriptors { descriptor.remove() }
    tree.unregister(BlueZName.gattCharacteristic, at: path)
  }

  // MARK: Properties

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Handle": .uint16(handle)
    case "UUID": .string(spec.uuid.longForm)
    case "Service": .objectPath(service.path)
    case "Value": .bytes(calls.kept.bytes)
    case "Notifying": properties.isSubscribable ? .boolean(subscription.isNotifying) : nil
    case "Flags": .strings(properties.flags + extendedFlags)
    case "WriteAcquired": properties.contains(.writeWithoutResponse) ? .boolean(writeSocket != nil) : nil
    case "NotifyAcquired": properties.contains(.notify) ? .boolean(isNotifyAcquired) : nil
    case "MTU": link.map { .uint16($0.mtu) }
    default: nil
    }
  }

  /// The flags in the Extended Properties descriptor.
  private var extendedFlags: [String] {
    let descriptor = spec.descriptors.first { $0.uuid == BluetoothUUID(0x2900) }
    guard properties.contains(.extended), let bits = descriptor?.value.first else { return [] }
    return [(UInt8(1), "reliable-write"), (2, "writable-auxiliaries")].filter { bits & $0.0 != 0 }.map(\.1)
  }

  // MARK: Methods

  func perform(_ method: String, _ call: MethodCall) {
    notifySocket?.catchUp()
    writeSocket?.catchUp()
    switch method {
    case "ReadValue": read(call)
    case "WriteValue": write(call)
    case "StartNotify": startNotify(call)
    case "StopNotify": stopNotify(call)
    case "AcquireNotify": acquireNotify(call)
    default: acquireWrite(call)
    }
  }

  private func read(_ call: MethodCall) {
    guard let link else { return call.fail(.failed("Not connected")) }
    calls.read(call, over: link) { [weak self] in self?.changed("Value", isUrgent: true) }
  }

  private func write(_ call: MethodCall) {
    guard let link else { return call.fail(.failed("Not connected")) }
    guard writeSocket == nil else { return call.fail(.notPermitted("Write acquired")) }
    guard let (bytes, options) = calls.arguments(of: call, isClaimed: service.isClaimed) else { return }
    let usual =
      properties.contains(.write) ? "request" : properties.contains(.writeWithoutResponse) ? "command" : ""
    switch options.type ?? usual {
    case "request", "reliable": calls.write(bytes, at: options.offset, for: call, over: link)
    case "command":
      guard options.offset == 0 else { return call.fail(.notSupported) }
      guard bytes.count <= Int(link.mtu) - 3 else { return call.fail(.failed("Failed to initiate write")) }
      link.command(valueHandle, bytes)
      call.reply()
    default: call.fail(.notSupported)
    }
  }

  // MARK: Notifications

  /// Signals a notification once for each subscribed client; each signal reaches all clients.
  func received(_ bytes: [UInt8]) {
    if let notifySocket {
      notifySocket.send(bytes)
      return
    }
    for _ in 0..<subscription.listenerCount {
      calls.kept.replace(with: bytes)
      tree.changed(stream, to: bytes)
    }
  }
}
