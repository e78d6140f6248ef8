// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats

/// The numbers of a value that a chart can draw, and the names of the rest.
struct ValueNumbers: Sendable {
  /// Numbers that have a name and a unit in common.
  struct Field: Sendable, Hashable {
    /// A key of decoded values, or the word of the format.
    var name: String
    var unit: String
    /// Several if the value has a list of them.
    var numbers: [Double]
  }

  private(set) var fields: [Field] = []
  /// The names of fields that are not numbers.
  private(set) var numberless: [String] = []

  /// Greater numbers are a mistake of the sender, and would flatten all others.
  private static let greatest = 1e300

  /// Returns whether values must be decoded: a format that makes no numbers counts as none.
  static func needMeaning(_ format: ValueFormat?) -> Bool {
    switch format {
    case .integer, .real, .medical, .utf8: false
    case nil, .auto, .hex, .base64, .raw: true
    }
  }

  /// Reads the numbers of a value; `decoded` is its standard meaning, if that is needed.
  init(_ bytes: [UInt8], format: ValueFormat?, decoded: DecodedFields?) {
    if let format, !ValueNumbers.needMeaning(format) {
      read(bytes, as: format)
      return
    }
    if let decoded, decoded.hasWrongChecksum {
      numberless = ["a wrong checksum"]
    } else if let decoded {
      add(decoded, prefix: "")
    }
    if fields.isEmpty, numberless.isEmpty { numberless = [bytes.isEmpty ? "an empty value" : "bytes"] }
  }

  private mutating func read(_ bytes: [UInt8], as format: ValueFormat) {
    let words = format.decode(bytes).map { $0.split { $0 == " " || $0.isNewline } } ?? []
    let numbers = words.compactMap { Double($0) }
    guard !numbers.isEmpty, numbers.count == words.count else {
      numberless = [format.word]
      return
    }
    for (index, number) in numbers.enumerated() {
      add(numbers.count == 1 ? format.word : "\(format.word) \(index + 1)", "", [number])
    }
  }

  private mutating func add(_ decoded: DecodedFields, prefix: String) {
    for field in decoded.fields where !field.isHidden {
      let name = prefix + field.key
      switch field.value {
      case .fields(let inner): add(inner, prefix: name + ".")
      case .list(let values):
        // A list that happens to be empty has nothing to draw and nothing to report.
        if !values.isEmpty { add(name, field.unit, values.compactMap(\.number)) }
      case let value: add(name, field.unit, [value.number].compactMap(\.self))
      }
    }
    if !decoded.problems.isEmpty { numberless.append(prefix + "incomplete value") }
  }

  private mutating func add(_ name: String, _ unit: String, _ numbers: [Double]) {
    let drawable = numbers.filter { $0.isFinite && abs($0) <= Self.greatest }
    if drawable.isEmpty {
      numberless.append(name)
    } else {
      fields.append(Field(name: name, unit: unit, numbers: drawable))
    }
  }
}
