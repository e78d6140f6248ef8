// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import Foundation

/// How the program's services look in BLEPeripheral.
extension CBService {
  /// The service, with handlers for what the delegate has to answer.
  func local(_ answering: RequestAnswering) -> LocalService {
    LocalService(
      uuid.value, (characteristics ?? []).map { $0.local(answering) }, isPrimary: isPrimary,
      includedServices: (includedServices ?? []).map { $0.local(answering) })
  }
}

/// What asks the delegate.
struct RequestAnswering: Sendable {
  let read: @Sendable (CBCharacteristic, ReadRequest) async -> Result<[UInt8], ATTError>
  let write: @Sendable (CBCharacteristic, WriteRequest) async -> Result<[UInt8], ATTError>
  /// Takes a write that nobody answers.
  let take: @Sendable (CBCharacteristic, WriteRequest) -> Void
}

extension CBCharacteristic {
  fileprivate func local(_ answering: RequestAnswering) -> LocalCharacteristic {
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
    // Notifications that demand encryption are still notifications.
    if properties.contains(.notifyEncryptionRequired) { local.properties.insert(.notify) }
    if properties.contains(.indicateEncryptionRequired) { local.properties.insert(.indicate) }
    if permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) {
      local.reading = .immediate { _ throws(ATTError) in throw .readNotPermitted }
    } else if mutable?.isCached != true {
      local.reading = .deferred { [self] request throws(ATTError) in
        try await answering.read(self, request).get()
      }
    }
    if permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired]) {
      local.writing = .immediate { _ throws(ATTError) in throw .writeNotPermitted }
    } else if properties.contains(.writeWithoutResponse) {
      // BlueZ does not wait for an answer, and does not say what the central does.
      local.writing = .immediate { [self] request throws(ATTError) in answering.take(self, request) }
    } else {
      local.writing = .deferred { [self] request throws(ATTError) in
        _ = try await answering.write(self, request).get()
      }
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
