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

  package let content: Content
  /// The position of its first character.
  package let place: JSONPlace
  /// The path to it from the root.
  package let pointer: JSONPointer

  package init(_ content: Content, at place: JSONPlace, _ pointer: JSONPointer) {
    self.content = content
    self.place = place
    self.pointer = pointer
  }

  /// Returns the value of a key; nil if it is missing, or if this is not an object.
  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var string: String? {
    if case .string(let text) = content { text } else { nil }
  }

  package var integer: Int? {
    if case .number(let number) = content { number.integer } else { nil }
  }

  /// A number that can be measured: also a flag, as 0 or 1.
  package var measured: Double? {
    switch content {
    case .number(let number): number.real
    case .bool(let flag): flag ? 1 : 0
    case .null, .string, .array, .object: nil
    }
  }

  package var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }

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

package struct JSONMember: Sendable, Hashable {
  package let key: String
  package let place: JSONPlace
  package let value: JSONNode

  package init(key: String, place: JSONPlace, value: JSONNode) {
    (self.key, self.place, self.value) = (key, place, value)
  }
}

package struct JSONNumber: Sendable, Hashable {
  package let text: String

  /// The number as an integer, even if written as `1.0` or `1e3`; nil if it is not an integer, or too large.
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
  func write(to json: inout JSONWriter)
}

extension String: JSONValue {
  package func write(to json: inout JSONWriter) { json.text(self) }
}

extension Bool: JSONValue {
  package func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension Int: JSONValue {
  package func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension UInt64: JSONValue {
  package func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Double: JSONValue {
  /// The shortest digits that read back as the same number; `null` for NaN and infinity.
  package func write(to json: inout JSONWriter) { json.literal(isFinite ? description : "null") }
}

extension Array: JSONValue where Element: JSONValue {
  package func write(to json: inout JSONWriter) {
    json.array { items in
      for element in self { items.value(element) }
    }
  }
}

extension JSONNode: JSONValue {
  /// Writes the value as it was read.
  package func write(to json: inout JSONWriter) {
    switch content {
    case .null: json.literal("null")
    case .bool(let flag): json.value(flag)
    case .number(let number): json.literal(number.text)
    case .string(let text): json.text(text)
    case .array(let elements): json.array { json in for element in elements { json.value(element) } }
    case .object(let members):
      json.object { json in for member in members { json.field(member.key, member.value) } }
    }
  }
}
