// SPDX-License-Identifier: MIT
internal import JSON

/// The comparable form of a name: only letters and digits, in lower case.
///
/// `heart-rate`, `Heart Rate` and `HEART_RATE` have the same key. Characters outside ASCII are kept as they are.
struct NameKey: Hashable {
  let bytes: [UInt8]

  init(_ text: some StringProtocol) {
    var text = String(text)
    self = text.withUTF8(NameKey.init(utf8:))
  }

  init(utf8: UnsafeBufferPointer<UInt8>) { bytes = utf8.compactMap(NameKey.folded) }

  /// Returns whether a name has this key; allocates nothing.
  func equals(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    for byte in name {
      guard let folded = NameKey.folded(byte) else { continue }
      guard position < bytes.count, bytes[position] == folded else { return false }
      position += 1
    }
    return position == bytes.count
  }

  /// Returns whether a name has this key.
  func equals(_ name: String) -> Bool {
    var name = name
    return name.withUTF8(equals)
  }

  /// Returns how well a name matches: `exact`, `beginning`, `part`, or nil.
  func fit(_ name: UnsafeBufferPointer<UInt8>) -> Fit? {
    guard let first = bytes.first else { return nil }
    var isBeginning = true
    for start in name.indices {
      // Setting the bit folds letters and leaves digits unchanged. Other bytes are checked below.
      if name[start] | 0x20 == first | 0x20, let end = end(ofMatchAt: start, name) {
        if !isBeginning { return .part }
        return name[end...].contains { NameKey.folded($0) != nil } ? .beginning : .exact
      }
      if isBeginning, NameKey.folded(name[start]) != nil { isBeginning = false }
    }
    return nil
  }

  /// Returns whether the words of a name begin with the letters of the key: those of `Heart Rate Measurement` with `hr`.
  func areInitials(of name: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    var isInWord = false
    for byte in name {
      guard let folded = NameKey.folded(byte) else {
        isInWord = false
        continue
      }
      if isInWord { continue }
      isInWord = true
      if position == bytes.count { return true }
      guard bytes[position] == folded else { return false }
      position += 1
    }
    return position == bytes.count
  }

  /// Returns whether the whole key stands at a position, perhaps after bytes that are not compared.
  func stands(at place: Int, in lines: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    for index in place..<lines.count {
      if lines[index] == UInt8(ascii: "\n") { return false }
      guard let folded = NameKey.folded(lines[index]) else { continue }
      guard bytes[position] == folded else { return false }
      position += 1
      if position == bytes.count { return true }
    }
    return false
  }

  /// Returns the end of the whole key in a name, if it starts at the given position.
  private func end(ofMatchAt start: Int, _ name: UnsafeBufferPointer<UInt8>) -> Int? {
    guard NameKey.folded(name[start]) != nil else { return nil }
    var position = 0
    for index in start..<name.count {
      guard let folded = NameKey.folded(name[index]) else { continue }
      guard bytes[position] == folded else { return nil }
      position += 1
      if position == bytes.count { return index + 1 }
    }
    return nil
  }

  func distance(to other: NameKey) -> Int { Spelling.distance(bytes, other.bytes) }

  /// The quality of a match between a name and a key, the best first.
  enum Fit: Int, Comparable {
    case exact
    case beginning
    case part

    static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns the comparable form of a byte; nil if it is not compared.
  @inline(__always)
  private static func folded(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: byte
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: nil
    }
  }
}
