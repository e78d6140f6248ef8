// SPDX-License-Identifier: MIT
import BLECentral

/// What can stand in a JSON record.
protocol JSONValue {
  /// Writes the value where the writer is.
  func write(to json: inout JSONWriter)
}

extension String: JSONValue {
  func write(to json: inout JSONWriter) { json.text(self) }
}

extension Bool: JSONValue {
  func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension Int: JSONValue {
  func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension UInt64: JSONValue {
  func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Double: JSONValue {
  /// The shortest digits that read back as the same number; `null` for what JSON has no number for.
  func write(to json: inout JSONWriter) { json.literal(isFinite ? description : "null") }
}

extension BluetoothUUID: JSONValue {
  /// The 128-bit form: scripts compare texts.
  func write(to json: inout JSONWriter) { json.text(longForm) }
}

extension BluetoothAddress: JSONValue {
  func write(to json: inout JSONWriter) { json.text(description) }
}

extension Array: JSONValue where Element: JSONValue {
  func write(to json: inout JSONWriter) {
    json.array { items in
      for element in self { items.value(element) }
    }
  }
}
