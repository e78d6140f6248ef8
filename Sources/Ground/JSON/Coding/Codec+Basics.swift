// SPDX-License-Identifier: MIT

extension Codec where Value: FixedWidthInteger {
  package static func integer(_ range: ClosedRange<Value>) -> Codec {
    let bounds = Int(clamping: range.lowerBound)...Int(clamping: range.upperBound)
    return Codec("an integer from \(bounds.lowerBound) to \(bounds.upperBound)", .integer(bounds)) { node in
      node.integer.flatMap { bounds.contains($0) ? Value(exactly: $0) : nil }
    } write: { value, json in
      json.value(Int(clamping: value))
    }
  }
}

extension Codec<Bool> {
  package static let flag = Codec("true or false", .flag) { node in
    if case .bool(let flag) = node.content { flag } else { nil }
  } write: { flag, json in
    json.value(flag)
  }
}

extension Codec<Double> {
  /// A number within ±2⁵³, where `Double` represents every integer exactly.
  package static let number = Codec("a number", .number) { node in
    guard case .number(let number) = node.content, let real = number.real, real.magnitude <= 0x1p53 else {
      return nil
    }
    return real
  } write: { number, json in
    if let whole = Int(exactly: number) { json.value(whole) } else { json.value(number) }
  }
}

extension Codec<String> {
  package static func text(_ expected: String, atMost limit: Int) -> Codec {
    .word("\(expected) of at most \(limit) bytes") {
      $0.utf8.count <= limit ? $0 : nil
    } text: {
      $0
    }
  }
}
