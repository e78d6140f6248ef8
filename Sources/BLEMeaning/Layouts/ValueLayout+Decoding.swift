// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Decodes any bytes as far as possible, and returns the fields that are present.
  ///
  /// ``DecodedFields/problems`` lists missing, reserved and out-of-range bytes. ``DecodedFields/rest``
  /// contains extra bytes.
  public func decode(_ bytes: [UInt8]) -> DecodedFields {
    if let former, size(announcedBy: bytes) != bytes.count, former.size(announcedBy: bytes) == bytes.count {
      return former.decode(bytes)
    }
    var decoded = DecodedFields()
    var bytes = bytes[...]
    var flags = 0
    var flagFields = DecodedFields()
    decoded.fields.reserveCapacity(parts.count + 2)
    for part in parts {
      if let condition = part.condition, !condition.holds(flags) { continue }
      if part.isOptional, bytes.isEmpty { break }
      guard let raw = take(part.size(within: bytes.count), from: &bytes, for: part.name, into: &decoded)
      else { break }
      switch part.content {
      case .field(let field): field.decode(raw, into: &decoded)
      case .word(let word):
        let bits = ByteWidth(size: word.size, isSigned: false).decode(raw)
        if word.isFlags {
          flags = bits
          word.decode(bits, flags: flags, into: &flagFields)
        } else {
          word.decode(bits, flags: flags, into: &decoded)
        }
      }
    }
    decoded.rest = Array(bytes)
    // Fields in the flags come last: they matter less than the fields that the flags announce.
    decoded.fields += flagFields.fields
    decoded.problems = flagFields.problems + decoded.problems
    return decoded
  }

  /// Returns the length of a value according to its flags, or nil if the flags are truncated.
  private func size(announcedBy bytes: [UInt8]) -> Int? {
    var (size, flags) = (0, 0)
    for part in parts where part.condition?.holds(flags) ?? true {
      if case .word(let word) = part.content, word.isFlags {
        guard bytes.count >= size + word.size else { return nil }
        flags = ByteWidth(size: word.size, isSigned: false).decode(bytes[size...])
      }
      size += part.size(within: 0)
    }
    return size
  }

  /// Takes the next bytes; returns nil and adds a problem if there are too few.
  private func take(
    _ size: Int, from bytes: inout ArraySlice<UInt8>, for key: String, into decoded: inout DecodedFields
  ) -> ArraySlice<UInt8>? {
    guard bytes.count >= size else {
      let missing = size - bytes.count
      decoded.problems.append("\(missing) byte\(missing == 1 ? "" : "s") missing for \(key)")
      return nil
    }
    defer { bytes = bytes.dropFirst(size) }
    return bytes.prefix(size)
  }
}

extension LayoutPart {
  /// Its name in the problem that it is missing.
  fileprivate var name: String {
    switch content {
    case .field(let field): field.key
    case .word(let word): word.name
    }
  }

  /// Returns its size if this many bytes remain.
  fileprivate func size(within count: Int) -> Int {
    switch content {
    case .field(let field): field.size(within: count)
    case .word(let word): word.size
    }
  }
}

extension BitWord {
  /// Its name in the problem that it is missing.
  var name: String { isFlags || fields.isEmpty ? "flags" : fields[0].key }

  func decode(_ bits: Int, flags: Int, into decoded: inout DecodedFields) {
    for field in fields {
      if let condition = field.condition, !condition.holds(flags) { continue }
      if let value = field.value(in: bits) {
        decoded.add(field.key, value, label: field.label, unit: field.unit)
      }
    }
    let reserved = bits & ~knownMask
    if reserved != 0 {
      decoded.problems.append("reserved bits 0x\(String(reserved, radix: 16)) of \(name) are set")
    }
  }
}

extension BitField {
  func value(in word: Int) -> DecodedValue? {
    let raw = raw(in: word)
    switch kind {
    case .choice(let choice): return choice.value(of: raw)
    case .number(let shape): return shape.value(of: raw)
    case .set(let names):
      return .list(
        names.enumerated().compactMap { index, name in
          raw >> index & 1 == 1 ? name.map { .text($0) } : nil
        })
    }
  }
}

extension LayoutField {
  /// Returns its size if this many bytes remain.
  func size(within count: Int) -> Int {
    switch kind {
    case .number(let shape): shape.width.size
    case .numbers(let shape): count / shape.width.size * shape.width.size
    case .medical(let format, _): format.size
    case .real: 4
    case .choice(_, let width): width.size
    case .choices(_, let width): count / width.size * width.size
    case .dateTime: 7
    case .date: 4
    case .dayCount: 3
    case .exponentialTime: 1
    case .text(let size), .bytes(let size): size ?? count
    case .hexNumber(let size): size
    case .unused(let bytes): bytes.count
    case .appearance: 2
    case .uuid: count >= 16 ? 16 : 2
    case .shortUUIDs: count / 2 * 2
    }
  }

  func decode(_ bytes: ArraySlice<UInt8>, into decoded: inout DecodedFields) {
    switch kind {
    case .number(let shape):
      let raw = shape.width.decode(bytes)
      let value = shape.value(of: raw)
      add(value, to: &decoded)
      if !shape.isAllowed(raw) { decoded.problems.append("\(key) \(value.text) is out of range") }
    case .numbers(let shape):
      add(.list(elements(bytes, shape.width).map { shape.value(of: $0) }), to: &decoded)
    case .medical(let format, let shift): add(format.value(of: bytes, shift: shift), to: &decoded)
    case .real:
      let text = RealFormat(size: 4, isBigEndian: false).decode(bytes)
      add(DecimalNumber(text).map { .decimal($0) } ?? .text(text), to: &decoded)
    case .choice(let choice, let width):
      if let value = choice.value(of: width.decode(bytes)) { add(value, to: &decoded) }
    case .choices(let choice, let width):
      add(.list(elements(bytes, width).compactMap { choice.value(of: $0) }), to: &decoded)
    case .dateTime, .date: decodeDate(bytes, into: &decoded)
    case .dayCount: add(CalendarDay.value(of: ByteWidth.u24.decode(bytes)), to: &decoded)
    case .exponentialTime: add(ExponentialTime.value(of: bytes.first ?? 0), to: &decoded)
    case .text: decodeText(bytes, into: &decoded)
    case .unused: break
    case .appearance: decodeAppearance(ByteWidth.u16.decode(bytes), into: &decoded)
    case .bytes: add(.bytes(Array(bytes)), to: &decoded)
    case .hexNumber: add(.text(Hex.string(Array(bytes.reversed()))), to: &decoded)
    case .uuid:
      let uuid = BluetoothUUID(bytes: bytes.reversed()) ?? shortUUID(bytes)
      add(.text(uuid.description), to: &decoded)
    case .shortUUIDs:
      add(
        .list(elements(bytes, .u16).map { .text(BluetoothUUID(UInt32($0)).description) }), to: &decoded)
    }
  }

  private func decodeAppearance(_ raw: Int, into decoded: inout DecodedFields) {
    let name = Appearance(rawValue: UInt16(truncatingIfNeeded: raw)).name
    decoded.add(key, .integer(raw), label: label, shownAs: name)
    guard let name else { return }
    decoded.add(key + "_name", .text(name))
    decoded.fields[decoded.fields.count - 1].isHidden = true
  }

  private func shortUUID(_ bytes: ArraySlice<UInt8>) -> BluetoothUUID {
    BluetoothUUID(UInt32(ByteWidth.u16.decode(bytes)))
  }

  private func elements(_ bytes: ArraySlice<UInt8>, _ width: ByteWidth) -> [Int] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: width.size).map { width.decode(bytes[$0...]) }
  }

  private func add(_ value: DecodedValue, to decoded: inout DecodedFields) {
    var field = DecodedFields.Field(key: key, value: value, label: label, unit: unit)
    field.isShownInSeconds = isShownInSeconds
    decoded.fields.append(field)
  }

  private func decodeText(_ bytes: ArraySlice<UInt8>, into decoded: inout DecodedFields) {
    // Many devices send the terminating zero of C strings, or pad with zeros.
    let end = (bytes.lastIndex { $0 != 0 } ?? bytes.startIndex - 1) + 1
    if let text = String(validating: bytes[..<end], as: UTF8.self) {
      add(.text(text), to: &decoded)
    } else {
      add(.bytes(Array(bytes)), to: &decoded)
      decoded.problems.append("\(key) is not UTF-8")
    }
  }

  private func decodeDate(_ bytes: ArraySlice<UInt8>, into decoded: inout DecodedFields) {
    let date = DateFields(bytes)
    decoded.add(
      key, .text(date.text), label: label, shownAs: String(date.text.map { $0 == "T" ? " " : $0 }))
    for problem in date.problems { decoded.problems.append("\(key): \(problem)") }
  }
}

extension MedicalFloat {
  /// Decodes a number with its digits, or a special pattern as a word.
  func value(of bytes: ArraySlice<UInt8>, shift: Int) -> DecodedValue {
    let text = decode(bytes)
    guard var number = DecimalNumber(text) else { return .text(text) }
    if shift != 0 { number.exponent += shift }
    guard (0...11).contains(number.exponent) else { return .decimal(number) }
    return .integer((0..<number.exponent).reduce(number.mantissa) { product, _ in product * 10 })
  }
}
