// SPDX-License-Identifier: MIT
@testable import BLEFormats

// Well-formed bytes, made from the layouts themselves: every flag at random, every field within its limits.

extension ValueLayout {
  /// Well-formed bytes.
  func example(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    var flags = 0
    for part in parts {
      if let condition = part.condition, !condition.holds(flags) { continue }
      switch part.content {
      case .word(let word):
        var bits = word.isFlags ? Int.random(in: 0...0xff_ffff, using: &generator) & word.presenceMask : 0
        let known = word.isFlags ? bits : flags
        for field in word.fields where field.condition?.holds(known) ?? true {
          bits |= field.example(using: &generator) << field.shift
        }
        if word.isFlags {
          bits = withoutIdle(bits)
          flags = bits
        }
        bytes += ByteWidth(size: word.size, isSigned: false).encode(bits)
      case .field(let field): bytes += field.example(using: &generator)
      }
    }
    return bytes
  }

  /// The flags without those that say nothing: the unit of a number that is not there.
  private func withoutIdle(_ flags: Int) -> Int {
    func there(_ flags: Int) -> [Bool] { parts.map { $0.condition?.holds(flags) ?? true } }
    return (0..<24).reduce(flags) { flags, bit in
      let known = parts.contains { ($0.condition?.mask ?? 0) & 1 << bit != 0 }
      let cleared = flags & ~(1 << bit)
      return known && there(cleared) == there(flags) ? cleared : flags
    }
  }

  /// Whether there may be fewer bytes than an example has, without a problem.
  var canEndEarly: Bool {
    parts.contains { part in
      if part.isOptional { return true }
      guard case .field(let field) = part.content else { return false }
      return field.size(within: []) == 0
    }
  }

  /// Whether different bytes can mean the same: two widths of one field, and states without a name.
  var hasSeveralSpellings: Bool {
    let keys = parts.flatMap(\.keys)
    let isAmbiguous = parts.contains { part in
      guard case .word(let word) = part.content else { return false }
      return word.fields.contains { field in
        guard case .choice(let choice) = field.kind else { return false }
        return choice.words.count != choice.numbers.count
      }
    }
    return isAmbiguous || Set(keys).count < keys.count
  }
}

extension BitField {
  fileprivate func example(using generator: inout some RandomNumberGenerator) -> Int {
    switch kind {
    case .choice(let choice):
      choice.numbers.filter { $0 < 1 << width }.randomElement(using: &generator) ?? 0
    case .number: Int.random(in: 0..<1 << width, using: &generator)
    case .set: Int.random(in: 0..<1 << width, using: &generator) & (knownMask >> shift)
    }
  }
}

extension LayoutField {
  fileprivate func example(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    func count() -> Int { Int.random(in: 1...5, using: &generator) }
    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 1...255, using: &generator) } }
    switch kind {
    case .number(let shape): return shape.example(using: &generator)
    case .numbers(let shape, _): return (0..<count()).flatMap { _ in shape.example(using: &generator) }
    case .real(let shape): return shape.example(using: &generator)
    case .reals(let shape, _): return (0..<count()).flatMap { _ in shape.example(using: &generator) }
    case .choice(let choice, let width):
      return width.encode(choice.numbers.randomElement(using: &generator) ?? 0)
    case .choices(let choice, let width, _):
      return (0..<count()).flatMap { _ in width.encode(choice.numbers.randomElement(using: &generator) ?? 0) }
    case .dateTime, .date:
      let year = ByteWidth.u16.encode(Int.random(in: 1582...9999, using: &generator))
      let day = [UInt8.random(in: 0...12, using: &generator), .random(in: 0...31, using: &generator)]
      let time = [
        UInt8.random(in: 0...23, using: &generator), .random(in: 0...59, using: &generator),
        .random(in: 0...59, using: &generator),
      ]
      return year + day + (size(within: []) == 7 ? time : [])
    case .dayCount: return ByteWidth.u24.encode(Int.random(in: 0...0xff_ffff, using: &generator))
    case .exponentialTime: return random(1)
    case .unixTime(let time): return time.width.encode(Int.random(in: 0...4_000_000_000, using: &generator))
    case .text(let extent):
      let text = "Größe 7 äöü".prefix(count()).utf8
      guard case .fixed(let size) = extent else { return Array(text) }
      return text + Array(repeating: 0, count: size - text.count)
    case .bytes(.fixed(let size)), .base64(.fixed(let size)): return random(size)
    case .bytes, .base64: return random(count())
    case .hexNumber(let size): return random(size)
    case .unused(let bytes): return bytes
    case .unusedRest, .checksum: return []
    case .appearance: return random(2)
    case .uuid: return random(Bool.random(using: &generator) ? 2 : 16)
    case .shortUUIDs: return random(2 * count())
    }
  }
}

extension NumberShape {
  fileprivate func example(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    let special = specials.randomElement(using: &generator)
    let raw = Int.random(in: allowed ?? width.range, using: &generator)
    let isSpecial = UInt8.random(in: 0...9, using: &generator) == 0
    return width.encode(isSpecial ? special?.raw ?? raw : raw)
  }
}

extension RealShape {
  fileprivate func example(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    switch encoding {
    case .ieee:
      let number = Float.random(in: -1e6...1e6, using: &generator)
      return ByteWidth.u32.encode(Int(number.bitPattern))
    case .medical(let format):
      let exponent = Int.random(in: -8...(-scale.decimal), using: &generator)
      let top = format == .sfloat ? 2000 : 8_000_000
      let mantissa = Int.random(in: 1...top, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)
      let bits = format == .sfloat ? 12 : 24
      let pattern = mantissa & ((1 << bits) - 1) | exponent << bits
      return ByteWidth(size: format.size, isSigned: false).encode(pattern)
    }
  }
}
