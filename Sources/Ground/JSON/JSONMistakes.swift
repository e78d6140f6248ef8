// SPDX-License-Identifier: MIT

/// Collects errors, so that one does not hide the others.
package struct JSONMistakes: Sendable {
  private var errors: [JSONError] = []

  package init() {}

  /// Adds an error, and the further errors that it contains.
  package mutating func note(_ error: JSONError) { errors += error.all }

  /// Runs a part, and adds its error; returns nil if it fails.
  @discardableResult
  package mutating func collect<Value>(_ part: () throws(JSONError) -> Value) -> Value? {
    do throws(JSONError) {
      return try part()
    } catch {
      note(error)
      return nil
    }
  }

  /// Throws the first error, with the others in it, if there are any.
  package func rethrow() throws(JSONError) {
    guard !errors.isEmpty else { return }
    var sorted = errors.enumerated().sorted { left, right in
      let (one, other) = (left.element.place, right.element.place)
      return (one.line, one.column, left.offset) < (other.line, other.column, right.offset)
    }.map(\.element)
    var first = sorted.removeFirst()
    first.others = sorted
    throw first
  }
}
