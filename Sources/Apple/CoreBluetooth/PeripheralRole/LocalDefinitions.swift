// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import Foundation

/// The program's services in BLEPeripheral.
extension CBService {
  /// The service, with handlers for requests that the delegate answers.
  func local(
    _ characteristics: [CBCharacteristic], including included: [LocalService], in session: ServingSession
  ) -> LocalService {
    var local = (self as? CBMutableService)?.identity ?? LocalService(uuid.value, [], isPrimary: isPrimary)
    local.characteristics = characteristics.map { $0.local(in: session) }
    local.includedServices = included
    return local
  }
}

extension CBCharacteristic {
  fileprivate func local(in session: ServingSession) -> LocalCharacteristic {
    let mutable = self as? CBMutableCharacteristic
    let permissions = mutable?.permissions ?? []
    var local = LocalCharacteristic(
      uuid.value, CharacteristicProperties(rawValue: UInt16(properties.rawValue & 0xff)),
      value: Array(value ?? Data()),
      security: AccessSecurity(
        read: permissions.contains(.readEncryptionRequired) ? .encrypted : .none,
        write: permissions.contains(.writeEncryptionRequired) ? .encrypted : .none,
        subscribe: properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
          ? .none : .encrypted),
      descriptors: (descriptors ?? []).map(\.local))
    // Notifications that require encryption are still notifications.
    if properties.contains(.notifyEncryptionRequired) { local.properties.insert(.notify) }
    if properties.contains(.indicateEncryptionRequired) { local.properties.insert(.indicate) }
    if permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) {
      local.reading = .immediate { _ throws(ATTError) in throw .readNotPermitted }
    } else if mutable?.isCached != true {
      local.reading = .pending { [self, weak session] in session?.read(self, $0, $1) }
    }
    if permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired]) {
      local.writing = .immediate { _ throws(ATTError) in throw .writeNotPermitted }
    } else if properties.contains(.writeWithoutResponse) {
      // BlueZ does not wait for an answer, and does not report the type of the write.
      local.writing = .immediate { [self, weak session] in session?.take(self, $0) }
    } else {
      local.writing = .pending { [self, weak session] in session?.write(self, $0, $1) }
    }
    return local
  }
}

extension CBDescriptor {
  fileprivate var local: LocalDescriptor {
    let bytes: [UInt8] =
      switch value {
      case let text as String: Array(text.utf8)
      case let data as Data: Array(data)
      case let number as NSNumber: [UInt8(truncating: number), UInt8(number.intValue >> 8 & 0xff)]
      default: []
      }
    return LocalDescriptor(uuid.value, value: bytes)
  }
}
