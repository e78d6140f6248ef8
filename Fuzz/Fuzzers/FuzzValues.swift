// SPDX-License-Identifier: MIT
internal import BLECentral

/// Feeds any text to what parses UUIDs and their names, addresses, flags and BlueZ's words.
///
/// What is parsed is printed and parsed again: both must mean the same.
func fuzzValues(_ bytes: UnsafeRawBufferPointer) {
  if let uuid = BluetoothUUID(utf8: bytes) {
    precondition(BluetoothUUID(uuid.description) == uuid && BluetoothUUID(uuid.longForm) == uuid)
  }
  if let address = BluetoothAddress(utf8: bytes) {
    precondition(BluetoothAddress(address.description) == address)
  }
  if let properties = CharacteristicProperties(flagUTF8: bytes) {
    precondition(CharacteristicProperties(flags: properties.names) == properties)
  }
  let text = String(decoding: bytes, as: UTF8.self)
  precondition(
    BluetoothUUID(text) == BluetoothUUID(utf8: bytes) || !text.utf8.elementsEqual(bytes))
  fuzzNames(text)
}

/// A name found by a text is found again by its own spelling, and by the one that is typed without quotes.
///
/// Only the short lists are gone through, and for short texts: the same code reads the long ones, slowly here.
private func fuzzNames(_ text: String) {
  guard text.utf8.count <= 48 else { return }
  let kinds: [AssignedNumber.Kind] = [.standard, .declaration]
  for found in AssignedNumbers.named(text, kinds: kinds) {
    precondition(AssignedNumbers.named(found.name, kinds: kinds).contains(found))
    precondition(AssignedNumbers.named(AssignedNumbers.hyphenated(found.name), kinds: kinds).contains(found))
    precondition(AssignedNumbers.containing(text, kinds: kinds).contains(found))
  }
  _ = BluetoothUUID(name: text, kinds: kinds)
  precondition(AssignedNumbers.suggestions(for: text, kinds: [.declaration]).count <= 3)
}
