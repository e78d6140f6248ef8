// SPDX-License-Identifier: MIT

/// Encodes one value: determines the flags from the given fields, then writes the fields.
struct LayoutEncoder {
  let layout: ValueLayout
  /// The texts of the fields, by key.
  let texts: [String: String]
  let now: CivilTime?
  let others: Others

  /// The treatment of the fields without a text.
  enum Others {
    /// They are refused, unless flags or their place at the end permit to leave them out.
    case refused
    /// They come from the clock, or are zero.
    case fromClock
    /// They are zero; those at the end that may be missing are missing.
    case zero
  }

  /// The flags so far, and the mask of those bits that are determined.
  private var flags = 0
  private var settled = 0

  init(layout: ValueLayout, texts: [String: String], now: CivilTime?, others: Others) {
    (self.layout, self.texts, self.now, self.others) = (layout, texts, now, others)
  }

  /// - Throws: an error that names the invalid or missing field.
  func bytes() throws(FormatError) -> [UInt8] {
    let keys = layout.keys
    if let unknown = texts.keys.filter({ !keys.contains($0) }).min() {
      throw FormatError(unknown, "is no field of \(layout.name); there are \(keys.joined(separator: ", "))")
    }
    var encoder = self
    let contents = try encoder.chooseParts()
    var bytes: [UInt8] = []
    for (part, content) in zip(layout.parts, contents) {
      if let condition = part.condition, !condition.holds(encoder.flags) { continue }
      if case .word(let word) = part.content, word.isFlags {
        let mask = word.knownMask << word.flagShift
        if others != .zero, word.isRequired, encoder.settled & mask != mask { throw missing(part) }
        bytes += word.width.encode(encoder.flags >> word.flagShift)
      } else if case .field(let field) = part.content, case .checksum(let checksum) = field.kind {
        bytes += checksum.bytes(of: bytes)
      } else if let content {
        bytes += content
      } else if !part.isOptional {
        throw missing(part)
      }
    }
    return bytes
  }

  /// Determines the flags from the given parts; returns the bytes of each part, or nil if it was not given.
  private mutating func chooseParts() throws(FormatError) -> [[UInt8]?] {
    var written: Set<String> = []
    var contents: [[UInt8]?] = []
    for (index, part) in layout.parts.enumerated() {
      let isTaken = part.keys.contains(where: written.contains)
      let isLeftOut = isTaken || isMissing(index)
      let bytes = isLeftOut ? nil : try content(of: part, hasAlternative: hasAlternative(after: index))
      contents.append(bytes)
      guard bytes != nil, part.keys.contains(where: { texts[$0] != nil }) else { continue }
      written.formUnion(part.keys)
      guard let condition = part.condition else { continue }
      if (flags ^ condition.value) & condition.mask & settled != 0 {
        throw FormatError(part.keys[0], "does not go with the fields before it")
      }
      flags = flags & ~condition.mask | condition.value
      settled |= condition.mask
    }
    if others == .zero { return contents }
    for (part, content) in zip(layout.parts, contents) {
      guard let condition = part.condition, content == nil || !isGiven(part), condition.holds(flags),
        !part.isUnused
      else { continue }
      try leaveOut(part, condition)
    }
    return contents
  }

  /// Returns whether a later part has the same key, for the same field with another width.
  private func hasAlternative(after index: Int) -> Bool {
    layout.parts[(index + 1)...].contains { $0.keys == layout.parts[index].keys }
  }

  /// Returns whether a part at the end is left out, with all that follow it.
  private func isMissing(_ index: Int) -> Bool {
    others == .zero && layout.parts[index].isOptional && !layout.parts[index...].contains(where: isGiven)
  }

  private func isGiven(_ part: LayoutPart) -> Bool { part.keys.contains { texts[$0] != nil } }

  /// Sets a flag so that a part that was not given is not required.
  private mutating func leaveOut(_ part: LayoutPart, _ condition: FlagCondition) throws(FormatError) {
    let free = condition.mask & ~settled
    let bit = free & -free
    let changed = flags ^ bit
    let isNeeded = layout.parts.contains { other in
      guard let needed = other.condition, needed.mask & bit != 0, !isGiven(other) else { return false }
      return needed.holds(changed)
    }
    if bit == 0 || isNeeded { throw missing(part) }
    flags = changed
    settled |= bit
  }

  private func missing(_ part: LayoutPart) -> FormatError {
    FormatError(layout.name, "needs \(part.keys.first ?? "flags")")
  }

  /// Returns the bytes of a part, or nil if it was not given and has no default.
  private mutating func content(
    of part: LayoutPart, hasAlternative: Bool
  ) throws(FormatError) -> [UInt8]? {
    switch part.content {
    case .word(let word):
      let bits = try bits(of: word)
      if word.isFlags {
        flags |= bits << word.flagShift
        for field in word.fields where texts[field.key] != nil { settled |= field.mask << word.flagShift }
        return []
      }
      if others != .zero, part.isOptional || part.condition != nil, !isGiven(part) { return nil }
      return word.width.encode(bits)
    case .field(let field):
      if part.isUnused { return try field.encode("", at: nil) }
      guard let text = texts[field.key] else {
        if others == .fromClock, let clock = field.clock, let now { return field.encode(clock, at: now) }
        if others != .refused { return Array(repeating: 0, count: field.size(within: [])) }
        return field.size(within: []) == 0 && part.condition == nil ? [] : nil
      }
      do throws(FormatError) {
        return try field.encode(text, at: now)
      } catch {
        if hasAlternative { return nil }
        throw FormatError(text, "\(error.reason) (\(field.key))")
      }
    }
  }

  /// Returns the word of the fields, of which those not given are zero.
  private func bits(of word: BitWord) throws(FormatError) -> Int {
    var bits = 0
    for field in word.fields {
      guard let text = texts[field.key] else { continue }
      do throws(FormatError) {
        guard let placed = field.placed(try field.raw(of: text)) else {
          throw FormatError(text, "does not fit \(field.width) bits")
        }
        bits |= placed
      } catch {
        throw FormatError(error.text, "\(error.reason) (\(field.key))")
      }
    }
    return bits
  }
}

extension BitField {
  func raw(of text: String) throws(FormatError) -> Int {
    switch kind {
    case .choice(let choice): return try choice.number(of: text)
    case .number(let shape): return try shape.raw(of: text)
    case .set(let names):
      var bits = 0
      for element in text.split(separator: ",") {
        let wanted = Choice.plain(String(element))
        guard let index = names.firstIndex(where: { $0.map(Choice.plain) == wanted }) else {
          throw FormatError(
            element, "is none of: " + names.compactMap(\.self).joined(separator: ", "))
        }
        bits |= 1 << index
      }
      return bits
    }
  }
}
