// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import DBus

/// The meaning of a `NameOwnerChanged` signal for bluetoothd.
enum ServiceChange {
  case ended
  /// It runs, under this unique name.
  case began(String)

  /// Fails for all other messages.
  init?(_ message: Message) {
    guard message.isSent(by: BusDriver.name) else { return nil }
    let arguments = message.values.compactMap(\.text)
    guard arguments.count == 3, arguments[0] == BlueZ.service else { return nil }
    self = arguments[2].isEmpty ? .ended : .began(arguments[2])
  }
}
