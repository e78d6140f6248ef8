// SPDX-License-Identifier: MIT

/// Takes bytes from the front, raw or as numbers; returns nil and takes nothing if there are too few.
package struct ByteReader {
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  package mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Takes an unsigned number of up to seven bytes.
  package mutating func unsigned(_ size: Int, isBigEndian: Bool = false) -> Int? {
    guard size <= rest.count else { return nil }
    var number = 0
    for place in 0..<size {
      let byte = Int(rest[rest.startIndex + place])
      number = isBigEndian ? number << 8 | byte : number | byte << (8 * place)
    }
    rest = rest.dropFirst(size)
    return number
  }

  /// Takes a number of up to seven bytes in two's complement.
  package mutating func signed(_ size: Int, isBigEndian: Bool = false) -> Int? {
    guard let number = unsigned(size, isBigEndian: isBigEndian) else { return nil }
    let half = 1 << (8 * size - 1)
    return number >= half ? number - 2 * half : number
  }
}
