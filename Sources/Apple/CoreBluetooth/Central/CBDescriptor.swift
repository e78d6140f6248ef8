// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// A descriptor of a characteristic.
///
/// It is Sendable because its state is locked.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
  private struct Contents {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  private let contents = Lock(Contents())
  /// Nil for a descriptor of this machine.
  let node: GATTDescriptor?

  init(uuid: CBUUID, value: Any?) {
    node = nil
    super.init(uuid: uuid)
    contents.exchange(\.value, value)
  }

  init(_ node: GATTDescriptor, of characteristic: CBCharacteristic) {
    self.node = node
    super.init(uuid: CBUUID(node.uuid))
    contents.withLock { $0.characteristic = characteristic }
  }

  /// The characteristic that contains the descriptor.
  open weak var characteristic: CBCharacteristic? { contents.withLock { $0.characteristic } }

  /// The last value that was read: an `NSNumber`, a `String` or `Data`, depending on the kind of descriptor.
  open var value: Any? { contents.withLock { $0.value } }

  func setCharacteristic(_ characteristic: CBCharacteristic?) {
    contents.withLock { $0.characteristic = characteristic }
  }

  func setValue(_ bytes: [UInt8]) {
    let number = { NSNumber(value: bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }) }
    let value: Any =
      switch node?.uuid.shortForm {
      case 0x2900, 0x2902, 0x2903: number()
      case 0x2901: String(decoding: bytes, as: UTF8.self)
      default: Data(bytes)
      }
    contents.exchange(\.value, value)
  }

  /// The descriptor as Apple's framework prints it.
  open override var description: String {
    let text = value.map { ($0 as? Data).map { "\($0 as NSData)" } ?? "\($0)" } ?? "(null)"
    return "<\(Self.self): \(objectAddress(of: self)), UUID = \(uuid), value = \(text)>"
  }
}
