// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
public import Foundation

/// A service of a peripheral, or of this machine.
///
/// It is Sendable because its state is locked.
open class CBService: CBAttribute, @unchecked Sendable {
  private struct Contents {
    weak var peripheral: CBPeripheral?
    weak var link: OpenLink?
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
  }

  private let primary: Bool
  private let contents = Lock(Contents())
  /// The service in BlueZ when this object was made; nil for one of this machine.
  let node: GATTService?

  init(uuid: CBUUID, isPrimary: Bool) {
    (primary, node) = (isPrimary, nil)
    super.init(uuid: uuid)
  }

  init(_ node: GATTService, of peripheral: CBPeripheral, over open: OpenLink) {
    primary = node.isPrimary
    self.node = node
    super.init(uuid: CBUUID(node.uuid))
    contents.withLock { ($0.peripheral, $0.link) = (peripheral, open) }
  }

  /// The peripheral that contains the service.
  open weak var peripheral: CBPeripheral? { contents.withLock { $0.peripheral } }

  /// The link over which it was discovered; nil for one of this machine, or if the link has ended.
  var link: OpenLink? { contents.withLock { $0.link } }

  /// True if it is a primary service.
  open var isPrimary: Bool { primary }

  /// The included services; nil before they were discovered.
  open var includedServices: [CBService]? { contents.withLock { $0.includedServices } }

  /// The characteristics; nil before they were discovered.
  open var characteristics: [CBCharacteristic]? { contents.withLock { $0.characteristics } }

  func setIncludedServices(_ services: [CBService]?) { contents.exchange(\.includedServices, services) }

  func setCharacteristics(_ all: [CBCharacteristic]?) { contents.exchange(\.characteristics, all) }

  /// Returns services and all their included services, each once: services may include each other.
  static func all(of services: [CBService]) -> [CBService] {
    var (all, waiting) = ([CBService](), services)
    while let service = waiting.popLast() {
      if all.contains(where: { $0 === service }) { continue }
      all.append(service)
      waiting += service.includedServices ?? []
    }
    return all
  }

  /// The service as Apple's framework prints it.
  open override var description: String {
    "<\(Self.self): \(objectAddress(of: self)), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}

func objectAddress(of object: AnyObject) -> String {
  "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
}

/// The common part of services, characteristics and descriptors.
///
/// It is Sendable because it never changes.
open class CBAttribute: NSObject, @unchecked Sendable {
  private let identifier: CBUUID

  init(uuid: CBUUID) { identifier = uuid }

  /// The UUID, which tells the kind of attribute.
  open var uuid: CBUUID { identifier }
}
