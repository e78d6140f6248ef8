// SPDX-License-Identifier: MIT

extension Int {
  /// Parses a place in the value of an attribute: the number of bytes before it, 0 to 512.
  package init(parsingOffset text: some StringProtocol) throws(ArgumentError) {
    let longest = 512
    let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let offset = Int(text), offset <= longest else {
      throw ArgumentError(text, "is no place in a value, which has at most \(longest) bytes")
    }
    self = offset
  }
}
