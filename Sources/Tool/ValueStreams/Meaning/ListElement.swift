package import BLECentral
// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An element of a list, as a column of its own.
package struct ListElement: Sendable, Hashable {
  /// No list has more columns: longer ones are for programs that read the list itself.
  static let most = 20

  /// The key of the list.
  let list: String
  /// The place in the list, from 1 on.
  let number: Int

  init(_ list: String, _ number: Int) { (self.list, self.number) = (list, number) }

  /// Parses ``column``; nil for a key, which has no brackets.
  package init?(column: String) {
    guard column.last == "]", let bracket = column.lastIndex(of: "["),
      let number = Int(column[column.index(after: bracket)...].dropLast())
    else { return nil }
    self.init(String(column[..<bracket]), number)
  }

  /// Parses ``name``, which may also be a key.
  package init?(name: String) {
    guard let end = name.lastIndex(of: "_"), let number = Int(name[name.index(after: end)...]), number > 0
    else {
      return nil
    }
    self.init(String(name[..<end]), number)
  }

  /// The column, which no key is like: `rr_intervals_ms[1]`.
  package var column: String { "\(list)[\(number)]" }

  /// The name in a table: `rr_intervals_ms_1`.
  package var name: String { "\(list)_\(number)" }

  /// The element among decoded values; nil if the list is shorter, or there is none.
  package func value(in decoded: DecodedFields) -> DecodedValue? {
    guard case .list(let elements) = decoded[list], elements.indices.contains(number - 1) else { return nil }
    return elements[number - 1]
  }
}
