// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A characteristic or a descriptor that is published: its value and its readers.
///
/// Confined to the manager.
final class ServedAttribute {
  let path: String
  let uuid: BluetoothUUID
  /// The UUID of its service.
  let service: BluetoothUUID
  /// The UUID of the characteristic that has it; nil for a characteristic.
  let owner: BluetoothUUID?
  let reading: ReadHandler
  let writing: WriteHandler
  /// The value in memory.
  var value: [UInt8]
  /// The whole values of long reads that are under way, by the path of the central.
  var longReads: [String: [UInt8]] = [:]
  /// The handle that BlueZ has chosen.
  var handle: UInt16?
  /// Whether a central has subscribed.
  var isSubscribed = false
  /// The updates on their way to bluetoothd.
  let window: UpdateWindow

  init(_ characteristic: LocalCharacteristic, of service: BluetoothUUID, path: String) {
    self.path = path
    self.service = service
    uuid = characteristic.uuid
    owner = nil
    reading = characteristic.reading
    writing = characteristic.writing
    value = characteristic.value
    handle = characteristic.handle
    let isIndicated =
      characteristic.properties.contains(.indicate) && !characteristic.properties.contains(.notify)
    window = UpdateWindow(isConfirmed: isIndicated)
  }

  init(
    _ descriptor: LocalDescriptor, of characteristic: BluetoothUUID, in service: BluetoothUUID, path: String
  ) {
    self.path = path
    self.service = service
    uuid = descriptor.uuid
    owner = characteristic
    reading = descriptor.reading
    writing = descriptor.writing
    value = descriptor.value
    window = UpdateWindow(isConfirmed: false)
  }

  /// A request for it.
  func access(by central: Central, at offset: Int, _ value: [UInt8]) -> AnsweredRequest {
    AnsweredRequest(
      central: central, service: service, characteristic: owner ?? uuid,
      descriptor: owner == nil ? nil : uuid, handle: handle, offset: offset, value: value)
  }

  /// BlueZ has no subscription of it any more, and answers nothing that was sent.
  func reset() {
    longReads = [:]
    isSubscribed = false
    window.reset()
  }
}
