// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The places at which a device may be found again.
struct Whereabouts: Equatable, Sendable {
  /// The addresses, the likeliest first.
  var addresses: [BluetoothAddress]
  /// The names that it was told to have, which no other device has.
  var names: [String] = []

  /// Returns whether a device that was heard is the one.
  func includes(_ info: PeripheralInfo) -> Bool {
    addresses.contains { info.has($0) } || info.names.contains { names.contains($0) }
  }
}

extension BluetoothAddress {
  /// The addresses at which a bootloader of Nordic may be: this one, and the next, whose last byte is one more.
  var withBootloader: [BluetoothAddress] { [self] + neighbours(1) }

  /// The addresses at which an application may be whose bootloader has this one.
  var withApplication: [BluetoothAddress] { [self] + neighbours(-1) }

  /// The next or the last address: usually only the last byte counts on, some firmware counts all.
  private func neighbours(_ step: Int64) -> [BluetoothAddress] {
    var bytes = bytes
    bytes[5] = UInt8(truncatingIfNeeded: Int64(bytes[5]) + step)
    let counted = UInt64(bitPattern: Int64(bitPattern: number) &+ step) & 0xffff_ffff_ffff
    let found = [BluetoothAddress(bytes: bytes), BluetoothAddress(number: counted)].compactMap(\.self)
    return found.count == 2 && found[0] == found[1] ? [found[0]] : found
  }
}
