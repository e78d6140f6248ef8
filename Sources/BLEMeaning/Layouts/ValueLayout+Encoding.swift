// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// All possible keys of the value, in order, without duplicates.
  public var keys: [String] {
    var keys: [String] = []
    for key in parts.flatMap(\.shownKeys) where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// Encodes a text: `high`, `now`, or `KEY=VALUE …`; `now` stands for the time given.
  ///
  /// A value with one field can be written without its key. A VALUE may contain spaces: it continues up to
  /// the next word that starts with a key and `=`. Commas separate the elements of a list.
  ///
  /// - Throws: an error that names the invalid or missing field.
  public func encode(_ text: String, at now: CivilTime? = nil) throws(FormatError) -> [UInt8] {
    if text.lowercased() == "now", let now, parts.contains(where: { $0.clock != nil }) {
      return try LayoutEncoder(layout: self, texts: [:], now: now, isNow: true).bytes()
    }
    let texts = try split(text)
    do throws(FormatError) {
      return try LayoutEncoder(layout: self, texts: texts, now: now, isNow: false).bytes()
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
      let bytes = try LayoutEncoder(layout: self, texts: texts, now: nil, isNow: false).bytes()
      if former == nil || decode(bytes).fields == fields.fields { return bytes }
    } catch {
      if former == nil { throw error }
    }
    return try former?.encode(fields) ?? []
  }

  private func split(_ text: String) throws(FormatError) -> [String: String] {
    let keys = keys
    var texts: [String: String] = [:]
    var current: String?
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let equals = word.firstIndex(of: "="), keys.contains(String(word[..<equals])) {
        let key = String(word[..<equals])
        if texts[key] != nil { throw FormatError(text, "has \(key) twice") }
        // Blanks between two fields belong to neither.
        if let current { while texts[current]?.last == " " { texts[current]?.removeLast() } }
        texts[key] = String(word[word.index(after: equals)...])
        current = key
      } else if let key = current, let begun = texts[key] {
        texts[key] = begun + " " + word
      } else if keys.count == 1 {
        return [keys[0]: text]
      } else {
        throw FormatError(text, "is not KEY=VALUE; the keys are \(keys.joined(separator: ", "))")
      }
    }
    return texts
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
    case .numbers(let shape):
      return try elements(text) { element throws(FormatError) in
        shape.width.encode(try shape.raw(of: element))
      }
    case .medical(let format, let shift):
      guard shift != 0, var number = DecimalNumber(text) else { return try format.encode(text) }
      number.exponent -= shift
      return try format.encode("\(number.mantissa)e\(number.exponent)")
    case .real: return try RealFormat(size: 4, isBigEndian: false).encode(text)
    case .choice(let choice, let width):
      return width.encode(try fitting(choice.number(of: text), width, text))
    case .choices(let choice, let width):
      return try elements(text) { element throws(FormatError) in
        width.encode(try fitting(choice.number(of: element), width, element))
      }
    case .dateTime: return try DateFields(parsing: text, count: 6).bytes
    case .date: return try DateFields(parsing: text, count: 3).bytes
    case .dayCount: return ByteWidth.u24.encode(try CalendarDay.day(of: text))
    case .exponentialTime: return [try ExponentialTime.raw(of: text)]
    case .text(let size): return try filled(Array(text.utf8), size, text, fillsUp: true)
    case .bytes(let size): return try filled(try HexValue.bytes(text), size, text, fillsUp: false)
    case .hexNumber(let size):
      return try filled(try HexValue.bytes(text).reversed(), size, text, fillsUp: false)
    case .unused(let bytes): return bytes
    case .appearance: return ByteWidth.u16.encode(try NumberShape(width: .u16).raw(of: text))
    case .uuid: return try uuidBytes(text)
    case .shortUUIDs:
      return try elements(text) { element throws(FormatError) in
        let bytes = try uuidBytes(element)
        if bytes.count != 2 { throw FormatError(element, "is not a UUID of 16 bits") }
        return bytes
      }
    }
  }

  func encode(_ role: ClockRole, at now: CivilTime) -> [UInt8] {
    switch role {
    case .dateTime: DateFields(now, count: size(within: 0) == 4 ? 3 : 6).bytes
    case .weekday: [UInt8(truncatingIfNeeded: now.weekday)]
    case .fractions: [UInt8(truncatingIfNeeded: now.fractions)]
    case .zone: [UInt8(truncatingIfNeeded: now.zoneQuarters)]
    case .daylightSaving: [UInt8(truncatingIfNeeded: now.daylightSavingQuarters)]
    }
  }

  private func fitting(_ number: Int, _ width: ByteWidth, _ text: String) throws(FormatError) -> Int {
    if width.range.contains(number) { return number }
    throw FormatError(text, "does not fit \(width.size) byte\(width.size == 1 ? "" : "s")")
  }

  private func elements(
    _ text: String, _ encode: (String) throws(FormatError) -> [UInt8]
  ) throws(FormatError) -> [UInt8] {
    var bytes: [UInt8] = []
    for element in text.split(separator: ",") {
      bytes += try encode(String(element.drop { $0 == " " }))
    }
    return bytes
  }

  private func filled(
    _ bytes: [UInt8], _ size: Int?, _ text: String, fillsUp: Bool
  ) throws(FormatError) -> [UInt8] {
    guard let size, size != bytes.count else { return bytes }
    if fillsUp, bytes.count < size { return bytes + Array(repeating: 0, count: size - bytes.count) }
    throw FormatError(text, "has \(bytes.count) bytes; \(key) takes \(size)")
  }

  private func uuidBytes(_ text: String) throws(FormatError) -> [UInt8] {
    guard let uuid = BluetoothUUID(text) else { throw FormatError(text, "is not a UUID") }
    if let short = uuid.shortForm, short <= 0xffff { return ByteWidth.u16.encode(Int(short)) }
    return uuid.bytes.reversed()
  }
}
