// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Decodes any bytes as far as possible, and returns the fields that are present.
  ///
  /// ``DecodedFields/problems`` lists missing, reserved and out-of-range bytes. ``DecodedFields/rest``
  /// contains extra bytes.
  public func decode(_ bytes: [UInt8]) -> DecodedFields {
    if let former = former(for: bytes) { return former.decode(bytes) }
    var decoded = DecodedFields()
    let whole = bytes
    var bytes = whole[...]
    var flags = 0
    var flagFields = DecodedFields()
    decoded.fields.reserveCapacity(parts.count + 2)
    for part in parts {
      if let condition = part.condition, !condition.holds(flags) { continue }
      if part.isOptional, bytes.isEmpty { break }
      guard let raw = take(part.size(within: bytes), from: &bytes, for: part.name, into: &decoded)
      else { break }
      switch part.content {
      case .field(let field):
        if case .checksum(let checksum) = field.kind {
          checksum.check(raw, behind: whole[..<raw.startIndex], into: &decoded)
        } else {
          field.decode(raw, into: &decoded)
        }
      case .word(let word):
        let bits = word.width.decode(raw)
        if word.isFlags { flags |= bits << word.flagShift }
        if word.isShownLast {
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

  /// True if a checksum shows whether a value is whole.
  package var hasChecksum: Bool {
    parts.contains { part in
      if case .field(let field) = part.content, case .checksum = field.kind { true } else { false }
    }
  }

  /// Returns the earlier version of the layout if a value has its sizes.
  ///
  /// Some devices append bytes of their own. The layout that leaves fewer bytes over is then the right one: a field of
  /// the wrong size shifts every field behind it.
  private func former(for bytes: [UInt8]) -> ValueLayout? {
    guard let former, let formerSize = former.size(announcedBy: bytes), formerSize <= bytes.count,
      let size = size(announcedBy: bytes)
    else { return nil }
    return size > bytes.count || size < formerSize ? former : nil
  }

  /// Returns the length of a value according to its flags, or nil if the flags are truncated.
  private func size(announcedBy bytes: [UInt8]) -> Int? {
    var (size, flags) = (0, 0)
    for part in parts where part.condition?.holds(flags) ?? true {
      if case .word(let word) = part.content, word.isFlags {
        guard bytes.count >= size + word.size else { return nil }
        flags |= word.width.decode(bytes[size...]) << word.flagShift
      }
      size += part.size(within: [])
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
    case .field(let field): field.key.isEmpty ? "bytes without a meaning" : field.key
    case .word(let word): word.name
    }
  }

  /// Returns its size if these bytes remain.
  fileprivate func size(within bytes: ArraySlice<UInt8>) -> Int {
    switch content {
    case .field(let field): field.size(within: bytes)
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

extension TrailingChecksum {
  /// Adds a problem if the bytes of the value are not the checksum of those before them.
  fileprivate func check(
    _ bytes: ArraySlice<UInt8>, behind before: ArraySlice<UInt8>, into decoded: inout DecodedFields
  ) {
    let right = self.bytes(of: before)
    guard !bytes.elementsEqual(right) else { return }
    decoded.hasWrongChecksum = true
    decoded.problems.append("the \(word) is \(Hex.string(Array(bytes))), and should be \(Hex.string(right))")
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
  /// Returns its size if these bytes remain.
  func size(within bytes: ArraySlice<UInt8>) -> Int {
    switch kind {
    case .number(let shape): shape.width.size
    case .numbers(let shape, let extent): extent.size(ofElements: shape.width.size, within: bytes)
    case .real(let shape): shape.size
    case .reals(let shape, let extent): extent.size(ofElements: shape.size, within: bytes)
    case .choice(_, let width): width.size
    case .choices(_, let width, let extent): extent.size(ofElements: width.size, within: bytes)
    case .dateTime: 7
    case .date: 4
    case .dayCount: 3
    case .exponentialTime: 1
    case .unixTime(let time): time.width.size
    case .text(let extent), .bytes(let extent), .base64(let extent):
      extent.size(ofElements: 1, within: bytes)
    case .hexNumber(let size): size
    case .unused(let bytes): bytes.count
    case .unusedRest: bytes.count
    case .checksum(let checksum): checksum.kind.size
    case .appearance: 2
    case .uuid: bytes.count >= 16 ? 16 : 2
    case .shortUUIDs: bytes.count / 2 * 2
    }
  }

  func decode(_ bytes: ArraySlice<UInt8>, into decoded: inout DecodedFields) {
    switch kind {
    case .number(let shape):
      let raw = shape.width.decode(bytes)
      let value = shape.value(of: raw)
      add(value, to: &decoded)
      if !shape.isAllowed(raw) { decoded.problems.append("\(key) \(value.text) is out of range") }
    case .numbers(let shape, let extent):
      let bytes = extent.elements(of: bytes)
      add(.list(elements(bytes, shape.width).map { shape.value(of: $0) }), to: &decoded)
    case .real(let shape): add(shape.value(of: bytes), to: &decoded)
    case .reals(let shape, let extent):
      let bytes = extent.elements(of: bytes)
      let starts = stride(from: bytes.startIndex, to: bytes.endIndex, by: shape.size)
      add(.list(starts.map { shape.value(of: bytes[$0..<$0 + shape.size]) }), to: &decoded)
    case .choice(let choice, let width):
      let number = width.decode(bytes)
      if let value = choice.value(of: number) { add(value, to: &decoded) }
      choice.addProblem(of: number, for: key, to: &decoded)
    case .choices(let choice, let width, let extent):
      let numbers = elements(extent.elements(of: bytes), width)
      add(.list(numbers.compactMap { choice.value(of: $0) }), to: &decoded)
      for number in numbers { choice.addProblem(of: number, for: key, to: &decoded) }
    case .dateTime, .date: decodeDate(bytes, into: &decoded)
    case .dayCount: add(CalendarDay.value(of: ByteWidth.u24.decode(bytes)), to: &decoded)
    case .exponentialTime: add(ExponentialTime.value(of: bytes.first ?? 0), to: &decoded)
    case .unixTime(let time): decodeTime(time, time.width.decode(bytes), into: &decoded)
    case .text(let extent): decodeText(extent.elements(of: bytes), into: &decoded)
    case .unused, .unusedRest, .checksum: break
    case .appearance: decodeAppearance(ByteWidth.u16.decode(bytes), into: &decoded)
    case .bytes(let extent): add(.bytes(Array(extent.elements(of: bytes))), to: &decoded)
    case .base64(let extent): add(.text(Base64.string(Array(extent.elements(of: bytes)))), to: &decoded)
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

  private func decodeTime(_ time: UnixTime, _ raw: Int, into decoded: inout DecodedFields) {
    guard let text = time.text(of: raw) else {
      add(NumberShape(width: time.width).value(of: raw), to: &decoded)
      decoded.problems.append("\(key) is out of range")
      return
    }
    decoded.add(
      key, .text(text), label: label,
      shownAs: text.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC")
  }

  private func decodeDate(_ bytes: ArraySlice<UInt8>, into decoded: inout DecodedFields) {
    let date = DateFields(bytes)
    decoded.add(
      key, .text(date.text), label: label, shownAs: String(date.text.map { $0 == "T" ? " " : $0 }))
    for problem in date.problems { decoded.problems.append("\(key): \(problem)") }
  }
}
