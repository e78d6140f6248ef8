// SPDX-License-Identifier: MIT
internal import JSON

extension ValueLayout {
  /// All possible keys of the value, in order, without duplicates.
  public var keys: [String] {
    var keys: [String] = []
    for key in parts.flatMap(\.shownKeys) where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// Returns the key with a name: the key itself, or the key without its unit; nil if no field has it, or several have.
  public func key(named name: some StringProtocol) -> String? {
    let name = String(name)
    var keysWithUnit: Set<String> = []
    for part in parts where !part.isUnused {
      switch part.content {
      case .field(let field):
        if field.key == name { return field.key }
        if isNamed(name, field.key, field.alias) { keysWithUnit.insert(field.key) }
      case .word(let word):
        for field in word.fields {
          if field.key == name { return field.key }
          if isNamed(name, field.key, field.alias) { keysWithUnit.insert(field.key) }
        }
      }
    }
    return keysWithUnit.count == 1 ? keysWithUnit.first : nil
  }

  /// In a layout of one's own, only a field with a unit has a name without it.
  private func isNamed(_ name: String, _ key: String, _ alias: String?) -> Bool {
    source == .own ? alias == name : key.hasPrefix(name) && UnitKey.withoutUnit(key) == name
  }

  /// Encodes a text: `high`, `now`, or `KEY=VALUE …`; `now` stands for the time given.
  ///
  /// A value with one field can be written without its key. A VALUE may contain spaces: it continues up to
  /// the next word that starts with a key and `=`. In quotes it may contain anything: `name="he said b=2"`;
  /// `\"` is a quote in it, and `\\` a backslash. Commas separate the elements of a list.
  ///
  /// - Throws: an error that names the invalid or missing field.
  public func encode(_ text: String, at now: CivilTime? = nil) throws(FormatError) -> [UInt8] {
    if text.lowercased() == "now", let now, parts.contains(where: { $0.clock != nil }) {
      return try LayoutEncoder(layout: self, texts: [:], now: now, others: .fromClock).bytes()
    }
    let texts = try split(text)
    do throws(FormatError) {
      return try LayoutEncoder(layout: self, texts: texts, now: now, others: .refused).bytes()
    } catch {
      // The text may match the earlier version of the specification.
      if let bytes = try? former?.encode(text, at: now) { return bytes }
      throw error
    }
  }

  /// Encodes decoded fields: the reverse of ``decode(_:)``, with the shortest of several encodings.
  ///
  /// - Throws: if a key does not belong to this layout, or if a value is invalid.
  public func encode(_ fields: DecodedFields) throws(FormatError) -> [UInt8] {
    var texts: [String: String] = [:]
    for field in fields.fields where !field.isHidden { texts[field.key] = field.value.typed }
    do throws(FormatError) {
      let bytes = try LayoutEncoder(layout: self, texts: texts, now: nil, others: .refused).bytes()
      if former == nil || decode(bytes).fields == fields.fields { return bytes }
    } catch {
      if former == nil { throw error }
    }
    return try former?.encode(fields) ?? []
  }

  private func split(_ text: String) throws(FormatError) -> [String: String] {
    let keys = keys
    var texts: [String: String] = [:]
    /// The field whose value is not in quotes, and may go on.
    var current: String?
    var rest = text[...]
    while true {
      let word = rest.prefix { $0 != " " }
      var end = word.endIndex
      if let equals = word.firstIndex(of: "="), let key = key(named: word[..<equals]) {
        if texts[key] != nil { throw FormatError(text, "has \(key) twice") }
        // Blanks between two fields belong to neither.
        if let current { while texts[current]?.last == " " { texts[current]?.removeLast() } }
        let value = rest[word.index(after: equals)...]
        if value.first == "\"" {
          let quoted = try QuotedText(value, in: text)
          (texts[key], current, end) = (quoted.text, nil, quoted.end)
        } else {
          (texts[key], current) = (String(word[word.index(after: equals)...]), key)
        }
      } else if let name = misspeltName(before: word, in: current ?? (keys.count == 1 ? keys[0] : nil), texts)
      {
        throw unknownName(name)
      } else if let key = current, let begun = texts[key] {
        texts[key] = begun + " " + word
      } else if keys.count == 1, texts.isEmpty {
        return [keys[0]: text]
      } else if !word.isEmpty || texts.isEmpty {
        throw FormatError(text, "is not KEY=VALUE; the keys are \(keys.joined(separator: ", "))")
      }
      if end == rest.endIndex { return texts }
      rest = rest[rest.index(after: end)...]
    }
  }
}

extension ValueLayout {
  /// Returns the name before the `=` of a word in the value of a field (`key`), if it is probably meant as that of another.
  ///
  /// A text may contain anything: there, it must be similar to a name that is still missing.
  private func misspeltName(before word: Substring, in key: String?, _ texts: [String: String]) -> Substring?
  {
    guard let match = word.prefixMatch(of: /([A-Za-z_][A-Za-z0-9_]*)=/) else { return nil }
    guard let key, isText(key) else { return match.1 }
    let missing = keys.filter { texts[$0] == nil && $0 != key }
    let isSimilar = !Spelling.candidates(for: String(match.1), among: names(of: missing)).isEmpty
    return match.1.count > 2 && isSimilar ? match.1 : nil
  }

  private func isText(_ key: String) -> Bool {
    parts.contains { part in
      if case .field(let field) = part.content, field.key == key, case .text = field.kind {
        true
      } else {
        false
      }
    }
  }
}

/// A value in quotes.
private struct QuotedText {
  var text = ""
  /// The place behind it: a blank, or the end.
  var end: String.Index

  /// Reads from the first quote on.
  ///
  /// - Throws: an error if the second quote is missing, or something stands behind it.
  init(_ rest: Substring, in whole: String) throws(FormatError) {
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex, rest[index] != "\"" {
      if rest[index] == "\\" { index = rest.index(after: index) }
      guard index < rest.endIndex else { break }
      text.append(rest[index])
      index = rest.index(after: index)
    }
    guard index < rest.endIndex else { throw FormatError(whole, "has no second quote") }
    end = rest.index(after: index)
    guard end == rest.endIndex || rest[end] == " " else {
      throw FormatError(whole, "has something behind its second quote")
    }
  }
}

extension DecodedValue {
  /// The value as text for the command line.
  var typed: String {
    if case .list(let values) = self { return values.map(\.text).joined(separator: ",") }
    return text
  }
}

extension LayoutPart {
  var clock: ClockRole? {
    if case .field(let field) = content { return field.clock }
    return nil
  }
}

extension LayoutField {
  func encode(_ text: String, at now: CivilTime?) throws(FormatError) -> [UInt8] {
    if text.lowercased() == "now", let clock, let now { return encode(clock, at: now) }
    switch kind {
    case .number(let shape): return shape.width.encode(try shape.raw(of: text))
    case .numbers(let shape, let extent):
      return try elements(text, extent, shape.width.size) { element throws(FormatError) in
        shape.width.encode(try shape.raw(of: element))
      }
    case .real(let shape): return try shape.encode(text)
    case .reals(let shape, let extent):
      return try elements(text, extent, shape.size) { element throws(FormatError) in
        try shape.encode(element)
      }
    case .choice(let choice, let width):
      return width.encode(try fitting(choice.number(of: text), width, text))
    case .choices(let choice, let width, let extent):
      return try elements(text, extent, width.size) { element throws(FormatError) in
        width.encode(try fitting(choice.number(of: element), width, element))
      }
    case .dateTime: return try DateFields(parsing: text, count: 6).bytes
    case .date: return try DateFields(parsing: text, count: 3).bytes
    case .dayCount: return ByteWidth.u24.encode(try CalendarDay.day(of: text))
    case .exponentialTime: return [try ExponentialTime.raw(of: text)]
    case .unixTime(let time): return try time.encode(text)
    case .text(let extent):
      var bytes = Array(text.utf8)
      if case .fixed(let size) = extent, bytes.count < size {
        bytes += Array(repeating: 0, count: size - bytes.count)
      }
      return try filling(extent, bytes, text)
    case .bytes(let extent): return try filling(extent, try HexValue.bytes(text), text)
    case .base64(let extent):
      guard let bytes = Base64.bytes(text) else { throw FormatError(text, "is not base64") }
      return try filling(extent, bytes, text)
    case .hexNumber(let size):
      return try filling(.fixed(size), try HexValue.bytes(text).reversed(), text)
    case .unused(let bytes): return bytes
    // The encoder computes a checksum, once it has the bytes before it.
    case .unusedRest, .checksum: return []
    case .appearance: return ByteWidth.u16.encode(try NumberShape(width: .u16).raw(of: text))
    case .uuid: return try uuidBytes(text)
    case .shortUUIDs:
      return try elements(text, .rest, 2) { element throws(FormatError) in
        let bytes = try uuidBytes(element)
        if bytes.count != 2 { throw FormatError(element, "is not a UUID of 16 bits") }
        return bytes
      }
    }
  }

  func encode(_ role: ClockRole, at now: CivilTime) -> [UInt8] {
    switch role {
    case .dateTime: DateFields(now, count: size(within: []) == 4 ? 3 : 6).bytes
    case .weekday: [UInt8(truncatingIfNeeded: now.weekday)]
    case .fractions: [UInt8(truncatingIfNeeded: now.fractions)]
    case .zone: [UInt8(truncatingIfNeeded: now.zoneQuarters)]
    case .daylightSaving: [UInt8(truncatingIfNeeded: now.daylightSavingQuarters)]
    case .unixTime: if case .unixTime(let time) = kind { time.bytes(at: now) } else { [] }
    }
  }

  private func fitting(_ number: Int, _ width: ByteWidth, _ text: String) throws(FormatError) -> Int {
    if width.range.contains(number) { return number }
    throw FormatError(text, "does not fit \(count(width.size, "byte"))")
  }

  private func elements(
    _ text: String, _ extent: Extent, _ size: Int, _ encode: (String) throws(FormatError) -> [UInt8]
  ) throws(FormatError) -> [UInt8] {
    var bytes: [UInt8] = []
    for element in text.split(separator: ",") {
      bytes += try encode(String(element.drop { $0 == " " }))
    }
    if let bytes = extent.bytes(of: bytes, ofElements: size) { return bytes }
    throw FormatError(text, "has \(count(bytes.count / size, "element")); \(key) takes \(extent.words)")
  }

  private func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  private func filling(_ extent: Extent, _ bytes: [UInt8], _ text: String) throws(FormatError) -> [UInt8] {
    if let bytes = extent.bytes(of: bytes, ofElements: 1) { return bytes }
    throw FormatError(text, "has \(count(bytes.count, "byte")); \(key) takes \(extent.words)")
  }

  private func uuidBytes(_ text: String) throws(FormatError) -> [UInt8] {
    guard let uuid = BluetoothUUID(text) else { throw FormatError(text, "is not a UUID") }
    if let short = uuid.shortForm, short <= 0xffff { return ByteWidth.u16.encode(Int(short)) }
    return uuid.bytes.reversed()
  }
}
