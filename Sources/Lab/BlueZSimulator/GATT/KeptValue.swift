// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The value of an attribute that the daemon keeps: the property `Value`, and the answer to each read.
///
/// As in bluetoothd (`gatt_db_attribute_write` and `gatt_db_attribute_read`), a read from an offset changes only
/// the bytes that it brings, and is answered with all that is kept from there on.
struct KeptValue {
  private(set) var bytes: [UInt8] = []

  mutating func replace(with bytes: [UInt8]) { self.bytes = bytes }

  /// Stores what a read from an offset has brought.
  mutating func store(_ part: [UInt8], at offset: Int) {
    guard offset > 0 else { return bytes = part }
    guard !part.isEmpty else { return }
    // bluetoothd leaves the gap as its memory was, unless nothing was kept.
    if bytes.count < offset { bytes += [UInt8](repeating: 0, count: offset - bytes.count) }
    bytes.replaceSubrange(offset..<min(offset + part.count, bytes.count), with: part)
  }

  /// The answer to a read from an offset; nil for a reply without bytes, which is not the same as no bytes.
  func rest(from offset: Int) -> Result<[UInt8]?, BlueZError> {
    if offset <= bytes.count { return .success(Array(bytes[offset...])) }
    return bytes.isEmpty ? .success(nil) : .failure(.invalidArguments("Invalid offset"))
  }
}
