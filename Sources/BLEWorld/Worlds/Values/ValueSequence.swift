// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Glibc

/// The values of a generator, one after another from the first.
package struct ValueSequence {
  private let generator: ValueGenerator
  private let clock: () -> CivilTime
  private var index = 0
  private var level: Double?
  private var random: SplitMix

  package init(_ generator: ValueGenerator) { self.init(generator, clock: CivilTime.utcNow) }

  init(_ generator: ValueGenerator, clock: @escaping () -> CivilTime) {
    self.generator = generator
    self.clock = clock
    if case .walk(let walk) = generator { random = SplitMix(walk.seed) } else { random = SplitMix(0) }
  }

  /// Returns the next value, or nil for an empty list.
  package mutating func next() -> [UInt8]? {
    defer { index += 1 }
    switch generator {
    case .list(let values): return values.isEmpty ? nil : values[index % values.count]
    case .counter(let counter): return next(counter)
    case .sine(let sine):
      let angle = 2 * Double.pi * Double(index % max(1, sine.period)) / Double(max(1, sine.period))
      return sine.number.bytes(sine.middle + sine.amplitude * sin(angle))
    case .walk(let walk): return next(walk)
    case .clock(.currentTime): return clock().currentTime
    case .clock(.text): return Array(clock().text.utf8)
    }
  }

  private mutating func next(_ counter: Counter) -> [UInt8]? {
    let number = level ?? counter.first
    let isPast = counter.last.map { counter.step < 0 ? number < $0 : number > $0 } ?? false
    if !isPast, let bytes = counter.number.bytes(number) {
      level = number + counter.step
      return bytes
    }
    level = counter.first + counter.step
    return counter.number.bytes(counter.first)
  }

  private mutating func next(_ walk: RandomWalk) -> [UInt8]? {
    let change = walk.step * (2 * random.fraction() - 1)
    let number = level.map { min(max($0 + change, walk.least), walk.greatest) } ?? walk.first
    level = number
    return walk.number.bytes(number)
  }
}

/// A reproducible random number generator (SplitMix64).
private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func fraction() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}

/// The syntax of bytes in a world file, as VALUE on the command line: hexadecimal or `FORMAT:TEXT`.
enum ValueSyntax {
  static let pattern =
    "^((hex|utf8|base64|raw|sfloat|float|[uif][0-9]{1,2}(be)?):[\\s\\S]*| *((0[xX])?([0-9A-Fa-f]{2})+[ :]*)*)$"

  static func bytes(_ text: String) -> [UInt8]? {
    if let colon = text.firstIndex(of: ":"), let format = try? ValueFormat(parsing: text[..<colon]) {
      return try? format.encode(text[text.index(after: colon)...])
    }
    return try? HexValue.bytes(text)
  }

  /// Writes printable ASCII as text, anything else in hexadecimal.
  static func text(_ bytes: [UInt8]) -> String {
    let isReadable = bytes.count > 2 && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    return isReadable ? "utf8:" + String(decoding: bytes, as: UTF8.self) : Hex.string(bytes)
  }
}
