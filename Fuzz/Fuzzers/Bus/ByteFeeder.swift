// SPDX-License-Identifier: MIT

/// Hands out the bytes of an input as choices; zeros when they are used up.
struct ByteFeeder {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number below a limit that is at most 256.
  mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  /// Up to so many bytes as they are.
  mutating func raw(_ count: Int) -> [UInt8] {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return Array(taken)
  }

  mutating func integer() -> UInt64 { raw(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// All that is left.
  mutating func rest() -> [UInt8] { raw(bytes.count) }
}
