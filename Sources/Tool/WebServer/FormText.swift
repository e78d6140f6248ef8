// SPDX-License-Identifier: MIT

/// The body of a form: `application/x-www-form-urlencoded`.
enum FormText {
  /// The bytes of a field; nil if it is missing.
  static func field(_ name: String, of body: [UInt8]) -> [UInt8]? {
    for part in body.split(separator: UInt8(ascii: "&")) {
      let words = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if words.count == 2, words[0].elementsEqual(name.utf8) { return decoded(words[1]) }
    }
    return nil
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
