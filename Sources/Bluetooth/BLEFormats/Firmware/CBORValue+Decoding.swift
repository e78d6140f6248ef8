// SPDX-License-Identifier: MIT

extension CBORValue {
  /// Decodes bytes that are one value.
  ///
  /// Numbers and lengths may have any width, and arrays, maps, texts and bytes may be without a length, up to an end mark.
  ///
  /// - Throws: if the bytes are cut off, do not end with the value, nest too deeply, or have too many items.
  package init(decoding bytes: [UInt8]) throws(CBORError) {
    var reader = CBORReader(bytes)
    self = try reader.value(depth: 0)
    if reader.rest > 0 { throw CBORError("\(reader.restText) behind the value") }
  }
}

/// Takes values from the front of bytes.
private struct CBORReader {
  /// The most arrays, maps and tags within each other.
  private static let deepest = 16
  /// The most values in all, those of the largest message.
  private static let most = 65_536

  private let bytes: [UInt8]
  private var place = 0
  private var count = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var rest: Int { bytes.count - place }

  /// `1 byte left`.
  var restText: String { "\(rest) byte\(rest == 1 ? "" : "s") left" }

  mutating func value(depth: Int) throws(CBORError) -> CBORValue {
    count += 1
    if count > Self.most { throw CBORError("more than \(Self.most) values") }
    let head = try head()
    let number = head.number
    switch head.kind {
    case .unsigned: return .unsigned(try known(number))
    case .negative: return .negative(try known(number))
    case .bytes: return .bytes(try string(head))
    case .text:
      guard let text = String(validating: try string(head), as: UTF8.self) else {
        throw CBORError("a text is not UTF-8")
      }
      return .text(text)
    case .array: return .array(try array(number, depth: try within(depth)))
    case .map: return .map(try map(number, depth: try within(depth)))
    case .tag: return .tagged(try known(number), try value(depth: try within(depth)))
    case .simple: return try simple(head)
    }
  }

  /// The depth of the items in one of this depth.
  private func within(_ depth: Int) throws(CBORError) -> Int {
    if depth == Self.deepest { throw CBORError("more than \(Self.deepest) values within each other") }
    return depth + 1
  }

  private mutating func byte() throws(CBORError) -> UInt8 {
    guard place < bytes.count else { throw CBORError("the bytes end within a value") }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func number(ofBytes width: Int) throws(CBORError) -> UInt64 {
    var number: UInt64 = 0
    for _ in 0..<width { number = number << 8 | UInt64(try byte()) }
    return number
  }

  /// The beginning of an item.
  private struct Head {
    let kind: CBORKind
    /// The lower five bits of the first byte: they tell the width of the number.
    let width: UInt8
    /// The number or length; nil if the item has no length, but an end mark.
    let number: UInt64?
  }

  private mutating func head() throws(CBORError) -> Head {
    let first = try byte()
    let width = first & 0x1f
    // The shift leaves three bits, and there are eight kinds.
    let kind = CBORKind(rawValue: first >> 5) ?? .simple
    switch width {
    case 0...23: return Head(kind: kind, width: width, number: UInt64(width))
    case 24...27: return Head(kind: kind, width: width, number: try number(ofBytes: 1 << Int(width - 24)))
    case 31: return Head(kind: kind, width: width, number: nil)
    default: throw CBORError("the byte \(Hex.string([first])) has no meaning")
    }
  }

  private func known(_ number: UInt64?) throws(CBORError) -> UInt64 {
    guard let number else { throw CBORError("a number has no end") }
    return number
  }

  /// Returns whether the item ends here, which takes the end mark.
  private mutating func takeEnd() throws(CBORError) -> Bool {
    guard place < bytes.count else { throw CBORError("the bytes end within a value") }
    guard bytes[place] == 0xff else { return false }
    place += 1
    return true
  }

  /// Takes the content of bytes or of a text; without a length, it consists of parts that have one.
  private mutating func string(_ whole: Head) throws(CBORError) -> [UInt8] {
    if let length = whole.number { return try content(length) }
    var bytes: [UInt8] = []
    while !(try takeEnd()) {
      let part = try head()
      guard part.kind == whole.kind, let length = part.number else {
        throw CBORError("a part of a text or of bytes is something else")
      }
      bytes += try content(length)
    }
    return bytes
  }

  private mutating func content(_ length: UInt64) throws(CBORError) -> [UInt8] {
    guard length <= UInt64(rest) else {
      throw CBORError("a length of \(length), with \(restText)")
    }
    defer { place += Int(length) }
    return Array(bytes[place..<place + Int(length)])
  }

  private mutating func array(_ number: UInt64?, depth: Int) throws(CBORError) -> [CBORValue] {
    var elements: [CBORValue] = []
    if let number {
      // Each element takes a byte at least, so this also bounds the memory.
      guard number <= UInt64(rest) else { throw CBORError("an array of \(number) values, with \(restText)") }
      for _ in 0..<number { elements.append(try value(depth: depth)) }
    } else {
      while !(try takeEnd()) { elements.append(try value(depth: depth)) }
    }
    return elements
  }

  private mutating func map(_ number: UInt64?, depth: Int) throws(CBORError) -> CBORMap {
    var map = CBORMap()
    if let number {
      guard number <= UInt64(rest) / 2 else { throw CBORError("a map of \(number) keys, with \(restText)") }
      for _ in 0..<number { map.append(try value(depth: depth), try value(depth: depth)) }
    } else {
      while !(try takeEnd()) { map.append(try value(depth: depth), try value(depth: depth)) }
    }
    return map
  }

  private func simple(_ head: Head) throws(CBORError) -> CBORValue {
    guard let number = head.number else { throw CBORError("an end mark where a value should begin") }
    switch (head.width, number) {
    case (25, _): return .float(Double(Float16(bitPattern: UInt16(truncatingIfNeeded: number))))
    case (26, _): return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number))))
    case (27, _): return .float(Double(bitPattern: number))
    case (_, 20): return .bool(false)
    case (_, 21): return .bool(true)
    case (_, 22): return .null
    case (_, 23): return .undefined
    default: throw CBORError("the simple value \(number) has no meaning")
    }
  }
}
