// SPDX-License-Identifier: MIT
import BLECentral

// The identifiers are public and ArgumentParser is not ours to show, so they are parsed by
// `transform: BluetoothUUID.init(parsing:)`, which also tells people what is wrong.

extension BluetoothUUID {
  /// The UUID that a text on the command line names.
  ///
  /// - Throws: an error that names the text, when it is not a UUID of 16, 32 or 128 bits.
  init(parsing text: some StringProtocol) throws(ArgumentError) {
    guard let uuid = BluetoothUUID(text) else { throw ArgumentError(text, "is not a UUID") }
    self = uuid
  }
}

extension BluetoothAddress {
  /// The address that a text on the command line names.
  ///
  /// - Throws: an error that names the text, when it is not six pairs of hexadecimal digits.
  init(parsing text: some StringProtocol) throws(ArgumentError) {
    guard let address = BluetoothAddress(text) else {
      throw ArgumentError(text, "is not a Bluetooth address")
    }
    self = address
  }
}
