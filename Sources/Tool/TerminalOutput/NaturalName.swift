// SPDX-License-Identifier: MIT

/// A name that sorts as people expect: Sensor 2 before Sensor 10, in any case.
package struct NaturalName: Sendable, Hashable, Comparable {
  /// A number is less than a text.
  private enum Part: Sendable, Hashable, Comparable {
    /// Without leading zeros: the longer one is greater.
    case number(length: Int, digits: String)
    case text(String)
  }

  private let parts: [Part]

  package init(_ name: String) {
    var parts: [Part] = []
    var rest = name.lowercased()[...]
    while let first = rest.first {
      let run = rest.prefix { Self.isDigit($0) == Self.isDigit(first) }
      rest = rest[run.endIndex...]
      if Self.isDigit(first) {
        let digits = String(run.drop { $0 == "0" })
        parts.append(.number(length: digits.utf8.count, digits: digits))
      } else {
        parts.append(.text(String(run)))
      }
    }
    self.parts = parts
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  package static func < (left: NaturalName, right: NaturalName) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
