// SPDX-License-Identifier: MIT
import DBus

/// A complete D-Bus type made by chance, and values of it.
indirect enum ArbitraryType {
  case basic(Character)
  case array(ArbitraryType)
  case dictionary(Character, ArbitraryType)
  case structure([ArbitraryType])
  case variant

  private static let basics = Array("ybnqiuxtdsog")

  init(depth: Int, using random: inout some RandomNumberGenerator) {
    let isNested = depth > 0 && Bool.random(using: &random)
    guard isNested else {
      self = .basic(Self.basics.randomElement(using: &random) ?? "y")
      return
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: self = .array(ArbitraryType(depth: depth - 1, using: &random))
    case 1:
      self = .dictionary(
        Self.basics.randomElement(using: &random) ?? "y", ArbitraryType(depth: depth - 1, using: &random))
    case 2:
      let count = Int.random(in: 1...4, using: &random)
      self = .structure((0..<count).map { _ in ArbitraryType(depth: depth - 1, using: &random) })
    default: self = .variant
    }
  }

  var signature: String {
    switch self {
    case .basic(let letter): String(letter)
    case .array(let element): "a" + element.signature
    case .dictionary(let key, let value): "a{\(key)\(value.signature)}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }

  func value(depth: Int, using random: inout some RandomNumberGenerator) -> DBusValue {
    switch self {
    case .basic(let letter): return Self.basic(letter, using: &random)
    case .array(.basic("y")):
      return .bytes(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 0...255, using: &random) })
    case .array(let element):
      let count = Int.random(in: 0...3, using: &random)
      return .array(
        of: element.signature, (0..<count).map { _ in element.value(depth: depth - 1, using: &random) })
    case .dictionary(let key, let value):
      let count = Int.random(in: 0...3, using: &random)
      let entries = (0..<count).map { _ in
        DBusValue.Entry(
          Self.basic(key, using: &random), value.value(depth: depth - 1, using: &random))
      }
      return .dictionary(key: String(key), value: value.signature, entries)
    case .structure(let fields):
      return .structure(fields.map { $0.value(depth: depth - 1, using: &random) })
    case .variant:
      let type = ArbitraryType(depth: depth - 1, using: &random)
      return .variant(type.value(depth: depth - 1, using: &random))
    }
  }

  private static func basic(_ letter: Character, using random: inout some RandomNumberGenerator) -> DBusValue
  {
    let number = random.next()
    switch letter {
    case "y": return .byte(UInt8(truncatingIfNeeded: number))
    case "b": return .boolean(number % 2 == 0)
    case "n": return .int16(Int16(truncatingIfNeeded: number))
    case "q": return .uint16(UInt16(truncatingIfNeeded: number))
    case "i": return .int32(Int32(truncatingIfNeeded: number))
    case "u": return .uint32(UInt32(truncatingIfNeeded: number))
    case "x": return .int64(Int64(truncatingIfNeeded: number))
    case "t": return .uint64(number)
    case "d": return .double(Double(Int64(truncatingIfNeeded: number)) / 1024)  // never NaN: it is not itself
    case "s": return .string(["", "a", "hci0", "Ärger", "日本", "🎹 piano"].randomElement(using: &random) ?? "")
    case "o": return .objectPath(["/", "/org/bluez", "/a/b_1/C"].randomElement(using: &random) ?? "/")
    default: return .signature(["", "s", "a{sv}", "(ii)ay"].randomElement(using: &random) ?? "")
    }
  }
}
