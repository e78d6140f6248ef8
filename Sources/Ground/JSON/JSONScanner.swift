// SPDX-License-Identifier: MIT

/// Scans the characters and tokens of a JSON text.
struct JSONScanner {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  /// The number of UTF-8 continuation bytes on this line.
  private var continuationCount = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Position

  var isAtEnd: Bool { offset == bytes.count }
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }
  var place: JSONPlace { JSONPlace(line: line, column: offset - lineStart - continuationCount + 1) }

  func error(_ pointer: JSONPointer, _ message: String) -> JSONError { JSONError(place, pointer, message) }

  /// The next character for an error: `"x"`, or the end.
  var found: String {
    guard let byte = next else { return "the end of the text" }
    let rest = bytes[offset...].prefix(4)
    guard byte >= 0x20, let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
      return "the control character U+00"
        + String(decoding: [hexDigit(byte >> 4), hexDigit(byte)], as: UTF8.self)
    }
    return JSONText.quoted(String(scalar))
  }

  // MARK: Steps

  /// Skips a byte order mark, which editors of Windows write; the columns count without it.
  mutating func skipByteOrderMark() {
    guard bytes.starts(with: [0xef, 0xbb, 0xbf]) else { return }
    (offset, lineStart) = (3, 3)
  }

  mutating func advance() { offset += 1 }

  mutating func skipSpace() {
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\n"):
        offset += 1
        line += 1
        lineStart = offset
        continuationCount = 0
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): offset += 1
      default: return
      }
    }
  }

  /// Consumes a word if it is next.
  mutating func take(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      guard offset + word.count <= bytes.count, word.indices.allSatisfy({ bytes[offset + $0] == word[$0] })
      else { return false }
      offset += word.count
      return true
    }
  }

  // MARK: Numbers

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  mutating func number(_ pointer: JSONPointer) throws(JSONError) -> String {
    let start = offset
    _ = take("-")
    if !take("0") { try digits(pointer) }
    if take(".") { try digits(pointer) }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits(pointer)
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits(_ pointer: JSONPointer) throws(JSONError) {
    let start = offset
    while let byte = next, JSONScanner.isDigit(byte) { offset += 1 }
    if offset == start { throw error(pointer, "expected a digit, found \(found)") }
  }

  // MARK: Strings

  mutating func string(_ pointer: JSONPointer) throws(JSONError) -> String {
    offset += 1
    let start = offset
    offset = bytes.withUnsafeBufferPointer { bytes in
      var end = start
      while end < bytes.count, JSONScanner.isPlain(bytes[end]) { end += 1 }
      return end
    }
    if next == UInt8(ascii: "\"") {
      defer { offset += 1 }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
    var text = Array(bytes[start..<offset])
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: try escaped(pointer))
      case 0..<0x20: throw error(pointer, "expected no control character within a text, found \(found)")
      case 0x80...: text.append(contentsOf: try character(pointer))
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw error(pointer, "expected \"\\\"\" at the end of a text, found the end of the text")
  }

  /// Returns whether a byte of a text stands for itself: a printable character of ASCII.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte &- 0x20 < 0x60 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func character(_ pointer: JSONPointer) throws(JSONError) -> ArraySlice<UInt8> {
    for length in 2...4 where offset + length <= bytes.count {
      let part = bytes[offset..<offset + length]
      guard let text = String(validating: part, as: UTF8.self), text.unicodeScalars.count == 1 else {
        continue
      }
      offset += length
      continuationCount += length - 1
      return part
    }
    throw error(pointer, "expected UTF-8")
  }

  private mutating func escaped(_ pointer: JSONPointer) throws(JSONError) -> [UInt8] {
    let start = place
    offset += 1
    guard let byte = next else { throw error(pointer, "expected an escape, found the end of the text") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let unit = try codeUnit(pointer)
      if let scalar = Unicode.Scalar(UInt32(unit)) { return Array(String(scalar).utf8) }
      if UTF16.isLeadSurrogate(unit), take("\\u") {
        let trail = try codeUnit(pointer)
        let joined = 0x10000 + ((UInt32(unit) & 0x3ff) << 10) + (UInt32(trail) & 0x3ff)
        if UTF16.isTrailSurrogate(trail), let scalar = Unicode.Scalar(joined) {
          return Array(String(scalar).utf8)
        }
      }
      throw JSONError(start, pointer, "expected two halves of a surrogate pair, found one")
    default:
      throw JSONError(start, pointer, "expected an escape such as \\n or \\u00e9, found another")
    }
  }

  private mutating func codeUnit(_ pointer: JSONPointer) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error(pointer, "expected four hexadecimal digits after \\u, found \(found)")
      }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }
}
