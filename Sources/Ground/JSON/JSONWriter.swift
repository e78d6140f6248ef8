// SPDX-License-Identifier: MIT

/// Writes JSON with the keys in the given order: records, one per line, or indented files.
///
/// Foundation's encoder neither keeps the order of keys nor writes into one allocation, and loading
/// Foundation would slow down every start of the tool.
///
/// ```swift
/// var json = JSONWriter()
/// json.object { record in
///   record.field("event", "found")
///   record.field("rssi", rssi)                      // absent when nil
///   record.field("value", hex: bytes)
///   record.array("services") { list in for uuid in uuids { list.value(uuid) } }
/// }
/// json.endRecord()
/// ```
package struct JSONWriter {
  /// The layout of the text.
  package enum Layout: Sendable {
    /// Without spaces: one record per line.
    case line
    /// Indented by two spaces. Objects and arrays that fit into 100 columns are on one line.
    case indented
  }

  /// The text so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []

  private let layout: Layout
  private var needsComma = false
  private var isAfterKey = false
  private var depth = 0

  package init(reservingCapacity capacity: Int = 256, layout: Layout = .line) {
    self.layout = layout
    bytes.reserveCapacity(capacity)
  }

  // MARK: Values

  /// Writes a whole record, or an element of an array.
  package mutating func value(_ value: some JSONValue) {
    value.write(to: &self)
  }

  package mutating func object(_ fields: (inout JSONWriter) -> Void) {
    bracket(open: "{", close: "}", fields)
  }

  package mutating func array(_ elements: (inout JSONWriter) -> Void) {
    bracket(open: "[", close: "]", elements)
  }

  // MARK: Fields of an object

  /// Writes a field; nothing if the value is nil.
  package mutating func field(_ key: String, _ value: (some JSONValue)?) {
    guard let value else { return }
    self.key(key)
    value.write(to: &self)
  }

  /// Writes a field with bytes as lower-case hexadecimal digits; nothing if the bytes are nil.
  package mutating func field(_ key: String, hex value: [UInt8]?) {
    guard let value else { return }
    self.key(key)
    beginValue()
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * value.count + 2) { digits in
      digits[0] = UInt8(ascii: "\"")
      digits[2 * value.count + 1] = UInt8(ascii: "\"")
      for index in value.indices {
        digits[2 * index + 1] = hexDigit(value[index] >> 4)
        digits[2 * index + 2] = hexDigit(value[index])
      }
      bytes.append(contentsOf: digits)
    }
  }

  /// Copies fields that were written before.
  package mutating func fields(_ fields: JSONFields) {
    if fields.bytes.isEmpty { return }
    beginValue()
    bytes += fields.bytes
  }

  package mutating func object(_ key: String, _ fields: (inout JSONWriter) -> Void) {
    self.key(key)
    object(fields)
  }

  package mutating func array(_ key: String, _ elements: (inout JSONWriter) -> Void) {
    self.key(key)
    array(elements)
  }

  // MARK: Records

  /// Ends the line; the next value starts a new record.
  package mutating func endRecord() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Discards the text, but keeps the memory for the next record.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Parts

  package mutating func text(_ text: String) {
    beginValue()
    quote(text)
  }

  /// Writes a number or a literal, unchanged.
  package mutating func literal(_ literal: String) {
    beginValue()
    bytes.append(contentsOf: literal.utf8)
  }

  /// Writes the key of a field; its value must follow.
  package mutating func key(_ key: String) {
    beginValue()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    if layout == .indented { bytes.append(UInt8(ascii: " ")) }
    needsComma = false
    isAfterKey = true
  }

  private mutating func beginValue() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    if !isAfterKey { breakLine() }
    needsComma = true
    isAfterKey = false
  }

  private mutating func breakLine() {
    guard layout == .indented, depth > 0 else { return }
    JSONIndentation.breakLine(depth, in: &bytes)
  }

  private mutating func bracket(
    open: Unicode.Scalar, close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    beginValue()
    let start = bytes.count
    bytes.append(UInt8(ascii: open))
    needsComma = false
    depth += 1
    body(&self)
    depth -= 1
    if layout == .indented { JSONIndentation.endBracket(from: start, depth: depth, in: &bytes) }
    bytes.append(UInt8(ascii: close))
    needsComma = true
    isAfterKey = false
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    JSONText.append(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}

/// Fields of an object, written once to be copied into many; for lines, not for indented files.
package struct JSONFields: Sendable {
  let bytes: [UInt8]

  package init(_ fields: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    fields(&json)
    bytes = json.bytes
  }
}
