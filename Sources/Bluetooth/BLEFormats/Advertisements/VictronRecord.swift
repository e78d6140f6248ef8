// SPDX-License-Identifier: MIT

/// A kind of record, and its fields, which follow each other from the least significant bit on.
struct VictronRecord: Sendable {
  /// The name for people and programs: `solar charger`.
  let name: String
  let fields: [VictronField]

  init(_ name: String, _ fields: VictronField...) { (self.name, self.fields) = (name, fields) }

  init(_ name: String, fields: [VictronField]) { (self.name, self.fields) = (name, fields) }

  /// Decodes fields as far as the bytes go; those that are not available are left out.
  func decode(_ bytes: [UInt8], into decoded: inout DecodedFields) {
    var bits = BitReader(bytes)
    for field in fields {
      guard let raw = bits.take(field.width) else {
        decoded.problems.append("the record is cut off at \(field.key)")
        return
      }
      // The kind of the auxiliary value follows it.
      if case .auxiliary = field.kind {
        guard let mode = bits.take(2) else {
          decoded.problems.append("the record is cut off at aux_mode")
          return
        }
        VictronField.auxiliary(mode).map { $0.add(raw, to: &decoded) }
      } else {
        field.add(raw, to: &decoded)
      }
    }
    decoded.rest = bits.remainder()
  }
}

/// Takes bits from the least significant one of the first byte on.
private struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the bytes of which no bit is taken.
  func remainder() -> [UInt8] { Array(bytes.dropFirst((position + 7) / 8)) }

  /// Takes up to 62 bits as a number, or returns nil if there are too few.
  mutating func take(_ width: Int) -> Int? {
    guard position + width <= 8 * bytes.count else { return nil }
    defer { position += width }
    return (0..<width).reduce(0) { number, bit in
      let place = position + bit
      return number | Int(bytes[place / 8] >> UInt8(place % 8) & 1) << bit
    }
  }
}

/// A field of a record.
struct VictronField: Sendable {
  enum Kind: Sendable {
    /// A number: `(raw + plus) * times * 10^ten`.
    case number(isSigned: Bool, ten: Int, times: Int, plus: Int)
    case choice(Choice, isSigned: Bool)
    /// The names of the bits that are set.
    case set([String?])
    /// A number whose meaning the next two bits tell.
    case auxiliary
  }

  let key: String
  var label: String
  var unit: String
  /// The width in bits.
  let width: Int
  let kind: Kind
  /// The patterns of a value that is not available.
  var absent: [Int] = []
  /// Patterns that stand for words.
  var words: [Int: String] = [:]

  private func signed(_ raw: Int) -> Int { raw >> (width - 1) == 1 ? raw - 1 << width : raw }

  fileprivate func add(_ raw: Int, to decoded: inout DecodedFields) {
    if absent.contains(raw) { return }
    if let word = words[raw] { return decoded.add(key, .text(word), label: label, unit: unit) }
    switch kind {
    case .number(let isSigned, let ten, let times, let plus):
      let number = ((isSigned ? signed(raw) : raw) + plus) * times
      let value =
        ten == 0 ? DecodedValue.integer(number) : .decimal(DecimalNumber(mantissa: number, exponent: ten))
      decoded.add(key, value, label: label, unit: unit)
    case .choice(let choice, let isSigned):
      guard let value = choice.value(of: isSigned ? signed(raw) : raw) else { return }
      decoded.add(key, value, label: label)
    case .set(let names):
      let set = (0..<width).filter { raw >> $0 & 1 == 1 }.map { bit in
        (names.indices.contains(bit) ? names[bit] : nil) ?? "bit \(bit)"
      }
      decoded.add(key, .list(set.map { .text($0) }), label: label)
    case .auxiliary: break
    }
  }

  static func unsigned(
    _ key: String, _ label: String, _ width: Int, ten: Int = 0, times: Int = 1, plus: Int = 0,
    _ unit: String = "",
    absent: Int? = nil
  ) -> VictronField {
    VictronField(
      key: key, label: label, unit: unit, width: width,
      kind: .number(isSigned: false, ten: ten, times: times, plus: plus), absent: [absent ?? (1 << width) - 1]
    )
  }

  /// The largest positive number is not available.
  static func signed(
    _ key: String, _ label: String, _ width: Int, ten: Int = 0, _ unit: String
  ) -> VictronField {
    VictronField(
      key: key, label: label, unit: unit, width: width,
      kind: .number(isSigned: true, ten: ten, times: 1, plus: 0), absent: [(1 << (width - 1)) - 1])
  }

  static func choice(
    _ key: String, _ label: String, _ width: Int, _ choice: Choice, absent: Int? = nil, isSigned: Bool = false
  ) -> VictronField {
    VictronField(
      key: key, label: label, unit: "", width: width, kind: .choice(choice, isSigned: isSigned),
      absent: absent.map { [$0] } ?? [])
  }

  static func set(_ key: String, _ label: String, _ width: Int, _ names: [String?]) -> VictronField {
    VictronField(key: key, label: label, unit: "", width: width, kind: .set(names))
  }

  /// A number of 16 bits, and two bits for its meaning.
  static let auxiliary = VictronField(key: "aux", label: "", unit: "", width: 16, kind: .auxiliary)

  /// Returns the field that the auxiliary value is; nil if there is none.
  static func auxiliary(_ mode: Int) -> VictronField? {
    switch mode {
    case 0: signed("starter_voltage_v", "starter", 16, ten: -2, "V")
    case 1: unsigned("midpoint_voltage_v", "midpoint", 16, ten: -2, "V")
    case 2: unsigned("temperature_celsius", "", 16, ten: -2, plus: -27_315, "°C")
    default: nil
    }
  }
}
