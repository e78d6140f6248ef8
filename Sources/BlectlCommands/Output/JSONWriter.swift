// SPDX-License-Identifier: MIT
import BLEMeaning

/// Writes JSON records, one to a line, with the keys in the order in which they are given.
///
/// It is our own because Foundation's encoder neither keeps the order of keys nor writes into one allocation.
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
struct JSONWriter {
  /// What has been written so far, UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Whether something stands before the next value in the same object or array.
  private var needsComma = false

  init(reservingCapacity capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  // MARK: Values

  /// A value by itself: the whole record, or an element of an array.
  mutating func value(_ value: some JSONValue) {
    value.write(to: &self)
  }

  /// An object; its fields are written by the closure.
  mutating func object(_ fields: (inout JSONWriter) -> Void) {
    bracket(open: "{", close: "}", fields)
  }

  /// An array; its elements are written by the closure.
  mutating func array(_ elements: (inout JSONWriter) -> Void) {
    bracket(open: "[", close: "]", elements)
  }

  // MARK: Fields of an object

  /// A field, or nothing at all when the value is nil.
  mutating func field(_ key: String, _ value: (some JSONValue)?) {
    guard let value else { return }
    self.key(key)
    value.write(to: &self)
  }

  /// A field with bytes as lower-case hexadecimal digits, or nothing when there are none to speak of.
  mutating func field(_ key: String, hex value: (some Collection<UInt8>)?) {
    guard let value else { return }
    self.key(key)
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    Hex.append(value, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// A field with an object.
  mutating func object(_ key: String, _ fields: (inout JSONWriter) -> Void) {
    self.key(key)
    object(fields)
  }

  /// A field with an array.
  mutating func array(_ key: String, _ elements: (inout JSONWriter) -> Void) {
    self.key(key)
    array(elements)
  }

  // MARK: Records

  /// Ends the line; the next value starts a new record.
  mutating func endRecord() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Forgets what was written and keeps the memory, to write the next record into.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Parts

  /// A text in quotes.
  mutating func text(_ text: String) {
    beginValue()
    quote(text)
  }

  /// A number or a word of JSON, as it is.
  mutating func literal(_ literal: String) {
    beginValue()
    bytes.append(contentsOf: literal.utf8)
  }

  private mutating func key(_ key: String) {
    beginValue()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func beginValue() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func bracket(
    open: Unicode.Scalar, close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    beginValue()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    JSONText.append(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
