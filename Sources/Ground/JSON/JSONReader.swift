// SPDX-License-Identifier: MIT

/// Reads JSON strictly according to RFC 8259.
///
/// No comments, trailing commas, byte order marks, invalid UTF-8, duplicate keys or lone surrogates.
/// Foundation's decoder reports no lines, and loading Foundation would slow down every start of the tool.
package struct JSONReader {
  /// The default limit for the nesting of arrays and objects.
  package static let usualDepth = 64

  var scanner: JSONScanner
  private let maximumDepth: Int

  private init(_ bytes: [UInt8], maximumDepth: Int) {
    scanner = JSONScanner(bytes)
    self.maximumDepth = maximumDepth
  }

  /// Reads the value of a text in UTF-8; throws an error with the position of the fault, and the expected
  /// input.
  package static func read(
    _ text: some Sequence<UInt8>, maximumDepth: Int = usualDepth
  ) throws(JSONError) -> JSONNode {
    var reader = JSONReader(Array(text), maximumDepth: maximumDepth)
    return try reader.wholeText()
  }

  private mutating func wholeText() throws(JSONError) -> JSONNode {
    scanner.skipByteOrderMark()
    let node = try value(.root, depth: 0)
    scanner.skipSpace()
    guard scanner.isAtEnd else {
      throw scanner.error(.root, "expected the end of the text, found \(scanner.found)")
    }
    return node
  }

  private mutating func value(_ pointer: JSONPointer, depth: Int) throws(JSONError) -> JSONNode {
    scanner.skipSpace()
    let place = scanner.place
    let content: JSONNode.Content
    switch scanner.next {
    case UInt8(ascii: "{"): content = try object(pointer, depth: depth + 1)
    case UInt8(ascii: "["): content = try array(pointer, depth: depth + 1)
    case UInt8(ascii: "\""): content = .string(try scanner.string(pointer))
    case let byte? where byte == UInt8(ascii: "-") || JSONScanner.isDigit(byte):
      content = .number(JSONNumber(text: try scanner.number(pointer)))
    default: content = try word(pointer)
    }
    return JSONNode(content, at: place, pointer)
  }

  private mutating func word(_ pointer: JSONPointer) throws(JSONError) -> JSONNode.Content {
    if scanner.take("true") { return .bool(true) }
    if scanner.take("false") { return .bool(false) }
    if scanner.take("null") { return .null }
    throw scanner.error(pointer, "expected a value, found \(scanner.found)")
  }

  private func checkDepth(_ depth: Int, _ pointer: JSONPointer) throws(JSONError) {
    if depth > maximumDepth {
      throw scanner.error(pointer, "expected at most \(maximumDepth) arrays and objects within each other")
    }
  }

  private mutating func array(_ pointer: JSONPointer, depth: Int) throws(JSONError) -> JSONNode.Content {
    try checkDepth(depth, pointer)
    scanner.advance()
    scanner.skipSpace()
    var elements: [JSONNode] = []
    if scanner.take("]") { return .array(elements) }
    while true {
      elements.append(try value(.element(pointer, elements.count), depth: depth))
      scanner.skipSpace()
      if scanner.take("]") { return .array(elements) }
      guard scanner.take(",") else {
        throw scanner.error(pointer, "expected \",\" or \"]\", found \(scanner.found)")
      }
    }
  }

  private mutating func object(_ pointer: JSONPointer, depth: Int) throws(JSONError) -> JSONNode.Content {
    try checkDepth(depth, pointer)
    scanner.advance()
    scanner.skipSpace()
    var members: [JSONMember] = []
    var keys = JSONKeys()
    if scanner.take("}") { return .object(members) }
    members.reserveCapacity(4)
    while true {
      scanner.skipSpace()
      let place = scanner.place
      guard scanner.next == UInt8(ascii: "\"") else {
        throw scanner.error(pointer, "expected a key in quotes, found \(scanner.found)")
      }
      let key = try scanner.string(pointer)
      if let first = keys.place(of: key, in: members) {
        throw JSONError(
          place, .key(pointer, key),
          "expected each key once, found \(JSONText.quoted(key)) again (first at \(first))")
      }
      scanner.skipSpace()
      guard scanner.take(":") else {
        throw scanner.error(.key(pointer, key), "expected \":\", found \(scanner.found)")
      }
      members.append(JSONMember(key: key, place: place, value: try value(.key(pointer, key), depth: depth)))
      scanner.skipSpace()
      if scanner.take("}") { return .object(members) }
      guard scanner.take(",") else {
        throw scanner.error(pointer, "expected \",\" or \"}\", found \(scanner.found)")
      }
    }
  }
}

/// Finds a key that an object has twice.
private struct JSONKeys {
  /// Up to this many members are compared one by one: faster than a table, which most objects do not need.
  private static let few = 16

  private var places: [String: JSONPlace] = [:]

  /// Returns the place of a key among the members before it; nil if it is new.
  mutating func place(of key: String, in members: [JSONMember]) -> JSONPlace? {
    guard members.count >= Self.few else { return members.first { $0.key == key }?.place }
    for member in members.dropFirst(places.count) { places[member.key] = member.place }
    return places[key]
  }
}

/// A log of JSON records, one a line (NDJSON).
package enum JSONLines {
  /// Calls `take` with each record and its line, counted from 1; blank lines are none.
  ///
  /// - Throws: the first error, at its line.
  package static func each(
    in log: some Collection<UInt8>, _ take: (JSONNode, Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    let lines = log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      let node: JSONNode
      do throws(JSONError) {
        node = try JSONReader.read(line)
      } catch {
        throw JSONError(JSONPlace(line: index + 1, column: error.place.column), error.pointer, error.message)
      }
      try take(node, index + 1)
    }
  }
}
