// SPDX-License-Identifier: MIT
package import BLEFormats

/// A comparison of a field: `temperature_celsius > 25`, or with a second bound `temperature_celsius > 25 until < 24`.
package struct FieldComparison: Sendable, Hashable {
  /// The key of the field, or its name without a unit.
  package let name: String
  package let condition: ValueCondition
  /// The condition that ends it; nil if it ends when the first condition does not hold.
  ///
  /// Between the two, the result stays unchanged.
  package let end: ValueCondition?

  package init(_ name: String, _ condition: ValueCondition, until end: ValueCondition? = nil) {
    (self.name, self.condition, self.end) = (name, condition, end)
  }

  /// Returns whether it holds for a value; nil without a value, or between its bounds.
  package func holds(_ value: DecodedValue?) -> Bool? {
    guard let value else { return nil }
    if condition.holds(value) { return true }
    guard let end else { return false }
    return end.holds(value) ? false : nil
  }
}

/// A condition on the fields of values: comparisons, joined by `and`, `or` and `not`.
package indirect enum FieldCondition: Sendable, Hashable {
  case comparison(FieldComparison)
  case negated(FieldCondition)
  case all([FieldCondition])
  case any([FieldCondition])

  /// The names of the fields, in order, each once.
  package var names: [String] {
    var names: [String] = []
    for comparison in comparisons where !names.contains(comparison.name) { names.append(comparison.name) }
    return names
  }

  /// The comparisons, in order.
  package var comparisons: [FieldComparison] {
    switch self {
    case .comparison(let comparison): [comparison]
    case .negated(let condition): condition.comparisons
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.comparisons)
    }
  }

  /// Returns the error if a comparison can never hold, or always does, with fields of these values; nil if
  /// all make sense.
  package func problem(_ values: (String) -> FieldValues) -> ArgumentError? {
    for comparison in comparisons {
      for condition in [comparison.condition, comparison.end].compactMap(\.self) {
        if let problem = condition.problem(with: comparison.name, values(comparison.name)) { return problem }
      }
    }
    return nil
  }

  /// Returns whether it holds for fields; nil if that depends on fields without a value.
  package func holds(_ value: (String) -> DecodedValue?) -> Bool? {
    decided { $0.holds(value($0.name)) }
  }

  /// Returns whether it holds, from what is known of its comparisons.
  package func decided(_ isTrue: (FieldComparison) -> Bool?) -> Bool? {
    switch self {
    case .comparison(let comparison): return isTrue(comparison)
    case .negated(let condition): return condition.decided(isTrue).map { !$0 }
    case .all(let conditions):
      let parts = conditions.map { $0.decided(isTrue) }
      if parts.contains(false) { return false }
      return parts.contains(nil) ? nil : true
    case .any(let conditions):
      let parts = conditions.map { $0.decided(isTrue) }
      if parts.contains(true) { return true }
      return parts.contains(nil) ? nil : false
    }
  }

  /// The same condition on other names.
  package func mapFields(
    _ name: (String) throws(ArgumentError) -> String
  ) throws(ArgumentError) -> FieldCondition {
    func map(_ conditions: [FieldCondition]) throws(ArgumentError) -> [FieldCondition] {
      var mapped: [FieldCondition] = []
      for condition in conditions { mapped.append(try condition.mapFields(name)) }
      return mapped
    }
    switch self {
    case .comparison(let old):
      return .comparison(FieldComparison(try name(old.name), old.condition, until: old.end))
    case .negated(let condition): return .negated(try condition.mapFields(name))
    case .all(let conditions): return .all(try map(conditions))
    case .any(let conditions): return .any(try map(conditions))
    }
  }
}
