// SPDX-License-Identifier: MIT

/// A value from a JSON text, and its position.
package struct JSONNode: Sendable, Hashable {
  /// The kind of value.
  package enum Content: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with its original digits.
    case number(JSONNumber)
    /// A text, without its escapes.
    case string(String)
    /// An array.
    case array([JSONNode])
    /// An object: its members in the order of the text, without duplicate keys.
    case object([JSONMember])
  }

  /// What it is.
  package let content: Content
  /// The position of its first character.
  package let place: JSONPlace
  /// The path to it from the root.
  package let pointer: JSONPointer

  /// A value at a position.
  package init(_ content: Content, at place: JSONPlace, _ pointer: JSONPointer) {
    self.content = content
    self.place = place
    self.pointer = pointer
  }

  /// The value of a key; nil if it is missing, or if this is not an object.
  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The string; nil if this is not a string.
  package var string: String? {
    if case .string(let text) = content { text } else { nil }
  }

  /// The integer; nil if this is not an integer.
  package var integer: Int? {
    if case .number(let number) = content { number.integer } else { nil }
  }

  /// The elements; nil if this is not an array.
  package var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }

  /// The members; nil if this is not an object.
  package var members: [JSONMember]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// A short description of the value for errors: `"loud"`, `12`, `an object`.
  package var summary: String {
    switch content {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number(let number): number.text.count > 40 ? "a very long number" : number.text
    case .string(let text):
      text.unicodeScalars.count > 40
        ? "a text of \(text.unicodeScalars.count) characters" : JSONText.quoted(text)
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A key of an object and its value.
package struct JSONMember: Sendable, Hashable {
  /// The key, without its escapes.
  package let key: String
  /// The position of the key.
  package let place: JSONPlace
  /// The value.
  package let value: JSONNode
}

/// A number of a JSON text.
package struct JSONNumber: Sendable, Hashable {
  /// The original text.
  package let text: String

  /// The number as an integer, also if written as `1.0` or `1e3`; nil if it is not an integer, or too large.
  package var integer: Int? {
    if let integer = Int(text) { return integer }
    guard let real = Double(text), real.magnitude < 0x1p53 else { return nil }
    return Int(exactly: real)
  }

  /// The nearest `Double`; nil if the number is too large.
  package var real: Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}

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
