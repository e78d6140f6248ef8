// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import ValueStreams

/// The mean, the least and the greatest of the numbers that a field had in a window.
struct NumberSummary {
  private let field: DecodedFields.Field
  private(set) var count = 0
  private var sum = 0.0
  private var least: (number: Double, value: DecodedValue)
  private var greatest: (number: Double, value: DecodedValue)
  /// The most decimals of the numbers.
  private var decimals = 0

  /// Returns nil for a field without a number.
  init?(_ field: DecodedFields.Field) {
    guard let number = field.value.number, number.isFinite else { return nil }
    self.field = field
    (least, greatest) = ((number, field.value), (number, field.value))
    add(field)
  }

  var key: String { field.key }

  mutating func add(_ field: DecodedFields.Field) {
    guard let number = field.value.number, number.isFinite else { return }
    count += 1
    sum += number
    if number < least.number { least = (number, field.value) }
    if number > greatest.number { greatest = (number, field.value) }
    if case .decimal(let decimal) = field.value { decimals = max(decimals, -decimal.exponent) }
  }

  /// The mean, with one decimal more than the numbers had.
  private var mean: DecodedValue {
    // The sum of many may be a little outside of them.
    let mean = min(max(sum / Double(count), least.number), greatest.number)
    return .decimal(DecimalNumber(rounding: mean, decimals: decimals + 1))
  }

  /// Adds the mean, the least and the greatest; `keys` are all keys of such values.
  func add(to decoded: inout DecodedFields, among keys: [String]) {
    decoded.fields.append(field.with(key: key, label: field.label, mean))
    for (extreme, value) in [(AverageRecord.Extreme.minimum, least.value), (.maximum, greatest.value)] {
      let label = field.label.isEmpty ? extreme.rawValue : "\(extreme.rawValue) \(field.label)"
      decoded.fields.append(field.with(key: extreme.key(of: key, among: keys), label: label, value))
    }
  }
}

extension DecodedFields.Field {
  /// The field with another key, label and value, and the same unit.
  fileprivate func with(key: String, label: String, _ value: DecodedValue) -> DecodedFields.Field {
    var field = self
    (field.key, field.label, field.value, field.shownAs) = (key, label, value, nil)
    return field
  }
}

extension DecimalNumber {
  /// Rounds a finite number to some decimals, or to as many digits as there is room for.
  init(rounding number: Double, decimals: Int) {
    var (scaled, exponent) = (number, 0)
    while -exponent < decimals, abs(scaled) < 1e14 {
      exponent -= 1
      scaled = number * Self.power(-exponent)
    }
    while abs(scaled) >= 1e17 {
      exponent += 1
      scaled /= 10
    }
    self.init(mantissa: Int(scaled.rounded()), exponent: exponent)
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }
}
