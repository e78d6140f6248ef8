// SPDX-License-Identifier: MIT
internal import JSON

/// How a kind of value stands in a world file: one description from which it is read, written and checked by others.
struct Form<Value: Sendable>: Sendable {
  /// What a reader of an error is told: `an integer from -127 to 20`.
  let expected: String
  /// What the JSON Schema says of it.
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

  /// A form of single values: `parse` gives nil for what is none.
  init(
    _ expected: String, _ schema: Schema, parse: @escaping @Sendable (JSONNode) -> Value?,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.init(
      expected, schema,
      read: { node throws(JSONError) in
        guard let value = parse(node) else { throw node.isNot(expected) }
        return value
      }, write: write)
  }

  /// A form of single values that are texts.
  static func word(
    _ expected: String, pattern: String? = nil, examples: [String] = [],
    parse: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String
  ) -> Form {
    Form(
      expected, .text(pattern: pattern, examples: examples), parse: { $0.string.flatMap(parse) },
      write: { $1.value(text($0)) })
  }

  /// The same values, one for nil among them, which is not written.
  var optional: Form<Value?> {
    Form<Value?>(expected, schema) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      if let value { write(value, &json) }
    }
  }

  /// The same values, or `null` for nil.
  var nullable: Form<Value?> {
    Form<Value?>("\(expected), or null", .any([schema, .null])) { node throws(JSONError) in
      if node.content == .null { return nil }
      return try read(node)
    } write: { value, json in
      if let value { write(value, &json) } else { json.literal("null") }
    }
  }

  /// Other values, of which each has one of these.
  func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value) -> Other, _ take: @escaping @Sendable (Other) -> Value
  ) -> Form<Other> {
    Form<Other>(expected, schema) { node throws(JSONError) in
      make(try read(node))
    } write: { value, json in
      write(take(value), &json)
    }
  }

  /// Several of them in an array.
  func list(_ name: String, atLeast least: Int = 0) -> Form<[Value]> {
    Form<[Value]>(name, .list(of: schema, atLeast: least)) { node throws(JSONError) in
      guard let elements = node.elements, elements.count >= least else { throw node.isNot(name) }
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
  /// That something else was expected in this place.
  func isNot(_ expected: String) -> JSONError { JSONError(self, "expected \(expected), found \(summary)") }

  /// The value at the end of a way, or the last one that there is on it.
  func at(_ way: JSONStep...) -> JSONNode {
    way.reduce(self) { node, step in
      switch step {
      case .key(let key): node[key] ?? node
      case .element(let index): node.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? node
      }
    }
  }
}

/// One step on the way to a value.
enum JSONStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case key(String)
  case element(Int)
  init(stringLiteral key: String) { self = .key(key) }
  init(integerLiteral index: Int) { self = .element(index) }
}
