// SPDX-License-Identifier: MIT

/// A type that can be written as JSON.
package protocol JSONValue {
  /// Writes the value at the current position of the writer.
  func write(to json: inout JSONWriter)
}

extension String: JSONValue {
  /// A string in quotes.
  package func write(to json: inout JSONWriter) { json.text(self) }
}

extension Bool: JSONValue {
  /// `true` or `false`.
  package func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension Int: JSONValue {
  /// The digits.
  package func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension UInt64: JSONValue {
  /// The digits.
  package func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Double: JSONValue {
  /// The shortest digits that read back as the same number; `null` for NaN and infinity.
  package func write(to json: inout JSONWriter) { json.literal(isFinite ? description : "null") }
}

extension Array: JSONValue where Element: JSONValue {
  /// The elements in brackets.
  package func write(to json: inout JSONWriter) {
    json.array { items in
      for element in self { items.value(element) }
    }
  }
}
