// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The values of a generator, one after another from the first.
package struct ValueSequence {
  private let generator: ValueGenerator
  private let clock: () -> CivilTime
  private var index = 0
  private var numbers: NumberSequence?
  private var fields: LayoutSequence?

  package init(_ generator: ValueGenerator) { self.init(generator, clock: CivilTime.utcNow) }

  init(_ generator: ValueGenerator, clock: @escaping () -> CivilTime) {
    (self.generator, self.clock) = (generator, clock)
    switch generator {
    case .numbers(let rule, _): numbers = NumberSequence(rule)
    case .layout(let rule): fields = LayoutSequence(rule)
    case .list, .clock: break
    }
  }

  /// Returns the next value, or nil for an empty list, and for fields that do not go together.
  package mutating func next() -> [UInt8]? {
    switch generator {
    case .list(let values):
      defer { index += 1 }
      return values.isEmpty ? nil : values[index % values.count]
    case .numbers(_, let format): return numbers?.next(format.bytes)
    case .layout: return try? fields?.next(at: clock())
    case .clock(.currentTime): return clock().currentTime
    case .clock(.text): return Array(clock().text.utf8)
    }
  }
}

/// The syntax of bytes in a world file, as VALUE on the command line: hexadecimal, perhaps with a checksum, or `FORMAT:TEXT`.
enum ValueSyntax {
  static let pattern =
    "^((hex|utf8|base64|raw|sfloat|float|[uif][0-9]{1,2}(be)?):[\\s\\S]*| *((0[xX])?([0-9A-Fa-f]{2})+[ :]*)*"
    + "( (xor8|sum8|crc8|(crc16-modbus|crc16-ccitt|crc32)(be)?))?)$"

  static func bytes(_ text: String) -> [UInt8]? { try? bytes(of: text) }

  static func bytes(of text: String) throws(FormatError) -> [UInt8] {
    if let format = try ValueFormat(before: text) {
      return try format.encode(text.dropFirst(format.word.count + 1))
    }
    do throws(FormatError) {
      return try TrailingChecksum.typed(text)
    } catch {
      let advice = TrailingChecksum.advice(for: text).map { "; \($0)" } ?? ""
      throw FormatError(error.text, error.reason + advice)
    }
  }

  /// Writes printable ASCII as text, anything else in hexadecimal.
  static func text(_ bytes: [UInt8]) -> String {
    let isReadable = bytes.count > 2 && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    return isReadable ? "utf8:" + String(decoding: bytes, as: UTF8.self) : Hex.string(bytes)
  }
}
