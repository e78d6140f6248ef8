// SPDX-License-Identifier: MIT
internal import JSON

/// Reads and writes values as JSON, and describes them in a JSON Schema.
struct Codec<Value: Sendable>: Sendable {
  /// The description in errors: `an integer from -127 to 20`.
  let expected: String
  /// The description in the JSON Schema.
  let schema: Schema
  let read: @Sendable (JSONNode) throws(JSONError) -> Value
  let write: @Sendable (Value, inout JSONWriter) -> Void

  init(
    _ expected: String, _ schema: Schema, read: @escaping @Sendable (JSONNode) throws(JSONError) -> Value,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.expected = expected
    self.schema = schema
    self.read = read
    self.write = write
  }

  /// A codec of simple values: `parse` returns nil for an invalid one.
  init(
    _ expected: String, _ schema: Schema, parse: @escaping @Sendable (JSONNode) -> Value?,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.init(
      expected, schema,
      read: { node throws(JSONError) in
        guard let value = parse(node) else { throw node.mismatch(expected) }
        return value
      }, write: write)
  }

  /// A codec of strings.
  static func word(
    _ expected: String, pattern: String? = nil, examples: [String] = [],
    parse: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String
  ) -> Codec {
    Codec(
      expected, .text(pattern: pattern, examples: examples), parse: { $0.string.flatMap(parse) },
      write: { $1.value(text($0)) })
  }

  /// The same values as optionals; nil is not written.
  var optional: Codec<Value?> {
    Codec<Value?>(expected, schema) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      if let value { write(value, &json) }
    }
  }

  /// The same values as optionals; nil is written as `null`.
  var nullable: Codec<Value?> {
    Codec<Value?>("\(expected), or null", .any([schema, .null])) { node throws(JSONError) in
      if node.content == .null { return nil }
      return try read(node)
    } write: { value, json in
      if let value { write(value, &json) } else { json.literal("null") }
    }
  }

  /// A codec of other values, through a conversion.
  func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value) -> Other, _ take: @escaping @Sendable (Other) -> Value
  ) -> Codec<Other> {
    Codec<Other>(expected, schema) { node throws(JSONError) in
      make(try read(node))
    } write: { value, json in
      write(take(value), &json)
    }
  }

  /// An array of the values.
  func list(_ name: String, atLeast least: Int = 0) -> Codec<[Value]> {
    Codec<[Value]>(name, .list(of: schema, atLeast: least)) { node throws(JSONError) in
      guard let elements = node.elements, elements.count >= least else { throw node.mismatch(name) }
      var mistakes = JSONMistakes()
      let values = elements.compactMap { element in
        mistakes.collect { () throws(JSONError) in try read(element) }
      }
      try mistakes.rethrow()
      return values
    } write: { values, json in
      json.array { json in
        for value in values { write(value, &json) }
      }
    }
  }
}

extension JSONNode {
  /// The error for an unexpected value.
  func mismatch(_ expected: String) -> JSONError { JSONError(self, "expected \(expected), found \(summary)") }

  /// The value at a JSON pointer below this one, or the last one that exists on it.
  func at(_ pointer: String) -> JSONNode {
    pointer.split(separator: "/").reduce(self) { node, step in
      if let member = node[String(step)] { return member }
      guard let elements = node.elements, let index = Int(step), elements.indices.contains(index) else {
        return node
      }
      return elements[index]
    }
  }
}
