// SPDX-License-Identifier: MIT

/// A value that was read from a JSON text, and where it stands.
package struct JSONNode: Sendable, Hashable {
  /// What it is.
  package enum Content: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, in the digits that were written.
    case number(JSONNumber)
    /// A text, without its escapes.
    case string(String)
    /// An array.
    case array([JSONNode])
    /// An object: its members in the order of the text, each key once.
    case object([JSONMember])
  }

  /// What it is.
  package let content: Content
  /// Where its first character stands.
  package let place: JSONPlace
  /// The way to it from the root.
  package let pointer: JSONPointer

  /// A value at a place.
  package init(_ content: Content, at place: JSONPlace, _ pointer: JSONPointer) {
    self.content = content
    self.place = place
    self.pointer = pointer
  }

  /// The value of a key; nil when there is none, or this is no object.
  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text; nil when this is none.
  package var string: String? {
    if case .string(let text) = content { text } else { nil }
  }

  /// The number as a whole one; nil when this is none.
  package var integer: Int? {
    if case .number(let number) = content { number.integer } else { nil }
  }

  /// The elements; nil when this is no array.
  package var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }

  /// The members; nil when this is no object.
  package var members: [JSONMember]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// The value in a few words, for errors: `"loud"`, `12`, `an object`.
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
  /// Where the key stands.
  package let place: JSONPlace
  /// The value.
  package let value: JSONNode
}

/// A number of a JSON text.
package struct JSONNumber: Sendable, Hashable {
  /// As it was written.
  package let text: String

  /// The number when it is a whole one, also when written as `1.0` or `1e3`; nil when it is not, or too large.
  package var integer: Int? {
    if let integer = Int(text) { return integer }
    guard let real = Double(text), real.magnitude < 0x1p53 else { return nil }
    return Int(exactly: real)
  }

  /// The nearest number that a `Double` holds; nil when it is beyond them.
  package var real: Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}
