// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A characteristic or a descriptor that is published: its value and its readers.
///
/// Confined to the manager.
final class ServedAttribute {
  let path: String
  let uuid: BluetoothUUID
  let reading: ReadHandler
  let writing: WriteHandler
  /// Whether it is a characteristic.
  let isCharacteristic: Bool
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

  init(_ characteristic: LocalCharacteristic, path: String) {
    self.path = path
    uuid = characteristic.uuid
    reading = characteristic.reading
    writing = characteristic.writing
    value = characteristic.value
    handle = characteristic.handle
    isCharacteristic = true
    let isIndicated =
      characteristic.properties.contains(.indicate) && !characteristic.properties.contains(.notify)
    window = UpdateWindow(isConfirmed: isIndicated)
  }

  init(_ descriptor: LocalDescriptor, path: String) {
    self.path = path
    uuid = descriptor.uuid
    reading = descriptor.reading
    writing = descriptor.writing
    value = descriptor.value
    isCharacteristic = false
    window = UpdateWindow(isConfirmed: false)
  }

  /// BlueZ has no subscription of it any more, and answers nothing that was sent.
  func reset() {
    longReads = [:]
    isSubscribed = false
    window.reset()
  }
}
