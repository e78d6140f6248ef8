// SPDX-License-Identifier: MIT

/// One hexadecimal digit in ASCII.
package enum HexDigit {
  /// Returns the value of a digit of either case, 0 to 15, or nil for any other byte.
  @inlinable @inline(__always)
  package static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// Returns the lower-case digit of the four low bits.
  @inlinable @inline(__always)
  package static func lower(_ value: UInt8) -> UInt8 {
    let value = value & 0xf
    return value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
  }

  /// Returns the upper-case digit of the four low bits.
  @inlinable @inline(__always)
  package static func upper(_ value: UInt8) -> UInt8 {
    let value = value & 0xf
    return value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ (value &- 10)
  }
}
