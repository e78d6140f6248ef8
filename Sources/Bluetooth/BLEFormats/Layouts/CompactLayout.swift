// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Creates a layout from a text: its fields in the order of the bytes, separated by blanks or commas.
  ///
  /// A field is `NAME=FORMAT[COUNT]*SCALE/DIVISOR+OFFSET UNIT` without the blank; only FORMAT is needed.
  ///
  /// ```swift
  /// try ValueLayout(compact: "u16 u8*0.5 i16")
  /// try ValueLayout(compact: "temperature=i16*0.01°C humidity=u8*0.5% battery=u16mV")
  /// try ValueLayout(compact: "count=u8, _[2], samples=i16be[]*0.001g")
  /// ```
  ///
  /// - FORMAT: `u8` to `u64` and `i8` to `i64`, `f32`, `f64`, all of them with `be` for big-endian; `sfloat`, `float`,
  ///   `bool`, `utf8`, `hex`, `base64`; times as `unix`, `unix64` (seconds), `unixms` (milliseconds) and `datetime`; `_` for
  ///   bytes without a meaning; `xor8`, `sum8`, `crc8`, `crc16-modbus`, `crc16-ccitt`, `crc32` for a checksum of the bytes
  ///   before it, without a name.
  /// - COUNT: a number of elements or bytes (`[4]`), a format of the count that stands before them (`[u8]`), or nothing
  ///   for all to the end (`[]`). Without it, `utf8`, `hex` and `base64` extend to the end.
  /// - UNIT: any word after a scale or an offset. Directly after a format, it must be one of the usual ones.
  ///
  /// The unit stands at the end of the key, as in standard characteristics: `temperature_celsius`. ``encode(_:at:)`` accepts
  /// the name alone, too. A field without a name has the key `value`, and `value_1`, `value_2` … if there are several fields.
  ///
  /// - Throws: an error with the wrong word.
  public init(compact text: some StringProtocol) throws(FormatError) {
    let words = text.split { $0 == "," || $0.isWhitespace }
    guard !words.isEmpty else {
      throw FormatError(text, "has no field; write one like temperature=i16*0.01°C")
    }
    var fields: [OwnField] = []
    for (index, word) in words.enumerated() {
      do throws(FormatError) {
        fields.append(try CompactField(String(word)).parse())
      } catch {
        throw Self.strayPart(at: index, of: words.map { String($0) }) ?? error
      }
    }
    do throws(OwnLayoutError) {
      try self.init(name: String(text), fields)
    } catch {
      throw FormatError(words[error.field], error.reason)
    }
  }
}

extension ValueLayout {
  /// The error about a scale or a unit that a blank separates from its field; nil for another word.
  private static func strayPart(at index: Int, of words: [String]) -> FormatError? {
    guard index > 0, let first = words[index].first else { return nil }
    let isScale = "*/+[".contains(first)
    guard isScale || UnitKey.isKnown(words[index]) else { return nil }
    let unit = index + 1 < words.count && isScale && UnitKey.isKnown(words[index + 1]) ? words[index + 1] : ""
    return FormatError(
      words[index],
      "belongs to the field before it, without a blank: \(words[index - 1])\(words[index])\(unit)")
  }
}

/// Reads one field of a compact text.
struct CompactField {
  private let word: String
  private var rest: Substring

  init(_ word: String) {
    self.word = word
    rest = word[...]
  }

  func parse() throws(FormatError) -> OwnField {
    var reader = self
    return try reader.field()
  }

  private mutating func field() throws(FormatError) -> OwnField {
    var name: String?
    if let equals = rest.firstIndex(of: "=") {
      name = String(rest[..<equals])
      rest = rest[rest.index(after: equals)...]
    }
    var field = OwnField(try format(), name: name)
    if let letters = misspeltFormat(before: rest) {
      let advice = OwnFormat.advice(for: letters).map { "; \($0)" } ?? ""
      throw FormatError(
        word, (letters == word ? "is" : "has \(letters), which is") + " not a format\(advice)")
    }
    field.extent = try extent()
    if take("*") { field.scale = try number("scale") }
    if rest.first == "/", rest.dropFirst().first.map({ $0.isNumber || $0 == "." }) == true {
      rest = rest.dropFirst()
      field.divisor = try number("divisor")
    }
    if rest.first == "+" || rest.first == "-" { field.offset = try number("offset") }
    let isScaled = field.scale != nil || field.divisor != nil || field.offset != nil
    field.unit = try unit(isScaled: isScaled)
    return field
  }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func format() throws(FormatError) -> OwnFormat {
    let letters = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard let (format, length) = OwnFormat.prefix(of: rest) else {
      do throws(FormatError) { _ = try OwnFormat(parsing: letters) } catch {
        if letters.isEmpty { throw FormatError(word, "has no format; write one like i16") }
        throw FormatError(word, letters == word ? error.reason : "has \(letters), which \(error.reason)")
      }
      throw FormatError(word, "has no format")
    }
    rest = rest.dropFirst(length)
    return format
  }

  /// Returns the word that begins with a format and is none, if the rest of it is neither a unit nor part of one: `u88`, `u16bee`.
  private func misspeltFormat(before rest: Substring) -> Substring? {
    let letters = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard let first = letters.first, !UnitKey.isKnown(rest),
      first.isNumber || letters.lowercased().allSatisfy({ "be".contains($0) })
    else { return nil }
    let start = word.firstIndex(of: "=").map { word.index(after: $0) } ?? word.startIndex
    return word[start..<letters.endIndex]
  }

  private mutating func extent() throws(FormatError) -> Extent? {
    guard take("[") else { return nil }
    guard let end = rest.firstIndex(of: "]") else { throw FormatError(word, "has no ']' after its count") }
    let count = rest[..<end]
    rest = rest[rest.index(after: end)...]
    return try Extent(parsing: count, in: word)
  }

  private mutating func number(_ what: String) throws(FormatError) -> DecimalNumber {
    var end = rest.startIndex
    func skip(_ isWanted: (Character) -> Bool) {
      while end < rest.endIndex, isWanted(rest[end]) { end = rest.index(after: end) }
    }
    if rest.first == "+" || rest.first == "-" { end = rest.index(after: end) }
    skip { $0.isASCII && ($0.isNumber || $0 == ".") }
    // An exponent: e, a sign, and digits. Without digits, it is a unit.
    if end < rest.endIndex, rest[end] == "e" || rest[end] == "E" {
      let mark = end
      end = rest.index(after: end)
      if end < rest.endIndex, rest[end] == "-" || rest[end] == "+" { end = rest.index(after: end) }
      let digits = end
      skip { $0.isASCII && $0.isNumber }
      if end == digits { end = mark }
    }
    let text = rest[..<end]
    guard text.last != ".", let number = DecimalNumber(text) else {
      throw FormatError(word, "has no number as its \(what)")
    }
    rest = rest[end...]
    return number
  }

  private func unit(isScaled: Bool) throws(FormatError) -> String {
    guard !rest.isEmpty, !isScaled, !UnitKey.isKnown(rest) else {
      if let wrong = rest.first(where: { "*+[]=".contains($0) }) {
        throw FormatError(
          word,
          "has '\(wrong)' at the wrong place; write NAME=FORMAT[COUNT]*SCALE/DIVISOR+OFFSET and the unit")
      }
      return String(rest)
    }
    let known = rest == "le" ? "numbers are little-endian without it" : UnitKey.advice(for: rest)
    throw FormatError(
      word,
      "ends with '\(rest)', which is no usual unit; \(known ?? "write any other unit after a scale, *1\(rest)")"
    )
  }
}

extension Extent {
  /// Parses a count: a number, the format of the count before the elements, or nothing for all to the end.
  init(parsing text: some StringProtocol, in word: String) throws(FormatError) {
    switch text {
    case "": self = .rest
    case "u8", "u16", "u16be":
      self = .counted(ByteWidth(size: text == "u8" ? 1 : 2, isSigned: false, isBigEndian: text == "u16be"))
    default:
      guard let count = Int(text), (1...Extent.longestValue).contains(count) else {
        throw FormatError(
          word,
          "has the count '\(text)'; it is 1 to \(Extent.longestValue), u8, u16 or u16be, or nothing for all to the end"
        )
      }
      self = .fixed(count)
    }
  }

  /// The largest number of bytes that a value can have (Core Specification, Vol 3, Part F, 3.2.9).
  static let longestValue = 512
}
