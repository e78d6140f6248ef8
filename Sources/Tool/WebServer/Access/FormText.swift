// SPDX-License-Identifier: MIT

/// Fields of a form or a query: `application/x-www-form-urlencoded`.
enum FormText {
  /// Returns the bytes of a field; nil if it is missing.
  static func field(_ name: String, of text: [UInt8]) -> [UInt8]? {
    parts(of: text).first { $0.name.elementsEqual(name.utf8) }?.value
  }

  /// Returns all fields; the first of a name counts.
  static func fields(of text: [UInt8]) -> [String: String] {
    let fields = parts(of: text).map {
      (String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self))
    }
    return Dictionary(fields) { first, _ in first }
  }

  private static func parts(of text: [UInt8]) -> [(name: [UInt8], value: [UInt8])] {
    text.split(separator: UInt8(ascii: "&")).compactMap { part in
      let words = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return words.count == 2 ? (decoded(words[0]), decoded(words[1])) : nil
    }
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
