// SPDX-License-Identifier: MIT

/// The type codes of D-Bus signatures, since the macros of libdbus contain a cast and are not imported.
package enum TypeCode {
  package static let byte = UInt8(ascii: "y")
  package static let boolean = UInt8(ascii: "b")
  package static let int16 = UInt8(ascii: "n")
  package static let uint16 = UInt8(ascii: "q")
  package static let int32 = UInt8(ascii: "i")
  package static let uint32 = UInt8(ascii: "u")
  package static let int64 = UInt8(ascii: "x")
  package static let uint64 = UInt8(ascii: "t")
  package static let double = UInt8(ascii: "d")
  package static let string = UInt8(ascii: "s")
  package static let objectPath = UInt8(ascii: "o")
  package static let signature = UInt8(ascii: "g")
  package static let descriptor = UInt8(ascii: "h")
  package static let variant = UInt8(ascii: "v")
  package static let array = UInt8(ascii: "a")
  package static let structBegin = UInt8(ascii: "(")
  package static let structEnd = UInt8(ascii: ")")
  package static let entryBegin = UInt8(ascii: "{")
  package static let entryEnd = UInt8(ascii: "}")

  /// The alignment in bytes of a value with this type code.
  static func alignment(of code: UInt8) -> Int {
    switch code {
    case byte, signature, variant: 1
    case int16, uint16: 2
    case int64, uint64, double, structBegin, entryBegin: 8
    default: 4
    }
  }
}
