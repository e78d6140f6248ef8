// SPDX-License-Identifier: MIT
internal import DBus

/// A published descriptor (a characteristic is a ``NotifyingAttribute``); confined to the loop's thread.
class ServedAttribute {
  final let path: String
  final let uuid: BluetoothUUID
  /// The UUID of its service.
  final let service: BluetoothUUID
  /// The UUID of the characteristic that owns it; nil for a characteristic.
  final let owner: BluetoothUUID?
  final let reading: ReadHandler
  final let writing: WriteHandler
  final let memory: ValueMemory
  /// The handle that BlueZ chose.
  final var handle: UInt16?

  final var value: [UInt8] {
    get { memory.bytes }
    set { memory.set(newValue) }
  }

  init(
    _ uuid: BluetoothUUID, of owner: BluetoothUUID?, in service: BluetoothUUID, path: String,
    value: [UInt8], reading: ReadHandler, writing: WriteHandler
  ) {
    (self.uuid, self.owner, self.service, self.path) = (uuid, owner, service, path)
    (self.reading, self.writing) = (reading, writing)
    memory = ValueMemory(value)
  }

  convenience init(
    _ descriptor: LocalDescriptor, of characteristic: BluetoothUUID, in service: BluetoothUUID, path: String
  ) {
    self.init(
      descriptor.uuid, of: characteristic, in: service, path: path, value: descriptor.value,
      reading: descriptor.reading, writing: descriptor.writing)
  }

  /// Answers a call about subscriptions; returns nil if it has no such method.
  func answer(_ method: String, _ call: Message) -> LocalAnswer? { nil }

  final func access(by central: Central, at offset: Int, _ value: [UInt8]) -> AnsweredRequest {
    AnsweredRequest(
      central: central, service: service, characteristic: owner ?? uuid,
      descriptor: owner == nil ? nil : uuid, handle: handle, offset: offset, value: value)
  }

  final func store(_ request: WriteRequest) throws(ATTError) {
    guard request.offset <= value.count else { throw .invalidOffset }
    guard request.offset + request.value.count <= LocalCharacteristic.maximumLength else {
      throw .invalidAttributeValueLength
    }
    value = value.prefix(request.offset) + request.value
  }
}
