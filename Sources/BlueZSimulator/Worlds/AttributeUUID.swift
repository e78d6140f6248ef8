// SPDX-License-Identifier: MIT

/// A Bluetooth UUID, kept as BlueZ spells it: 128 bits in lower case.
package struct AttributeUUID: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  /// One that the Bluetooth SIG assigned.
  package init(_ assigned: UInt16) { self.init(UInt32(assigned), "-0000-1000-8000-00805f9b34fb") }

  /// One of a family that differs in the first 32 bits.
  package init(_ first: UInt32, _ rest: String) {
    self.init(unchecked: hexadecimal(first, digits: 8) + rest.lowercased())
  }

  private init(unchecked text: String) { self.text = text }

  /// Reads the 4 or 8 digits of a short UUID, or the 36 characters of a long one.
  package init?(parsing text: String) {
    if text.count == 4 || text.count == 8 {
      guard text.utf8.allSatisfy(isHexDigit), let first = UInt32(text, radix: 16) else { return nil }
      self.init(first, "-0000-1000-8000-00805f9b34fb")
      return
    }
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().utf8.allSatisfy(isHexDigit) else {
      return nil
    }
    self.init(unchecked: text.lowercased())
  }

  package var description: String { text }

  /// The 4 or 8 digits of one that the Bluetooth SIG assigned, else all.
  var shortText: String {
    guard text.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return text }
    return String(text.hasPrefix("0000") ? text.dropFirst(4).prefix(4) : text.prefix(8))
  }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
    UInt8(ascii: "A")...UInt8(ascii: "F"):
    true
  default: false
  }
}

/// A number in lower-case hexadecimal, with leading zeros.
func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
