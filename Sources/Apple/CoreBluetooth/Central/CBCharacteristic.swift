// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
public import Foundation

/// A characteristic of a service.
///
/// It is Sendable because its state is locked.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
  private struct Contents {
    weak var service: CBService?
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
  }

  private let contents = Lock(Contents())
  private let permitted: CBCharacteristicProperties
  /// Nil for a characteristic of this machine.
  let node: GATTCharacteristic?

  init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
    (permitted, node) = (properties, nil)
    super.init(uuid: uuid)
    contents.withLock { $0.value = value }
  }

  init(_ node: GATTCharacteristic, of service: CBService) {
    permitted = CBCharacteristicProperties(rawValue: UInt(node.properties.rawValue & 0xff))
    self.node = node
    super.init(uuid: CBUUID(node.uuid))
    contents.withLock { $0.service = service }
  }

  /// The service that contains the characteristic.
  open weak var service: CBService? { contents.withLock { $0.service } }

  /// The permitted operations.
  open var properties: CBCharacteristicProperties { permitted }

  /// The last value that was read or notified; nil before the first.
  open var value: Data? { contents.withLock { $0.value } }

  /// The descriptors; nil before they were discovered.
  open var descriptors: [CBDescriptor]? { contents.withLock { $0.descriptors } }

  /// True if this manager is subscribed to it.
  open var isNotifying: Bool { contents.withLock { $0.isNotifying } }

  /// Always false.
  @available(*, deprecated)
  open var isBroadcasted: Bool { false }

  func setService(_ service: CBService?) { contents.withLock { $0.service = service } }

  func setValue(_ value: Data?) { contents.exchange(\.value, value) }

  func setDescriptors(_ descriptors: [CBDescriptor]?) { contents.exchange(\.descriptors, descriptors) }

  func setNotifying(_ isNotifying: Bool) { contents.withLock { $0.isNotifying = isNotifying } }

  /// The characteristic as Apple's framework prints it.
  open override var description: String {
    let number = String(properties.rawValue, radix: 16, uppercase: true)
    let text = value.map { "\($0 as NSData)" } ?? "(null)"
    return
      "<\(Self.self): \(objectAddress(of: self)), UUID = \(uuid), properties = 0x\(number), value = \(text), "
      + "notifying = \(isNotifying ? "YES" : "NO")>"
  }
}
