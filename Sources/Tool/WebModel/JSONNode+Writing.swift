// SPDX-License-Identifier: MIT
package import JSON

extension JSONNode: JSONValue {
  /// Writes the value as it was read.
  package func write(to json: inout JSONWriter) {
    switch content {
    case .null: json.literal("null")
    case .bool(let flag): json.literal(flag ? "true" : "false")
    case .number(let number): json.literal(number.text)
    case .string(let text): json.text(text)
    case .array(let elements): json.array { json in for element in elements { json.value(element) } }
    case .object(let members):
      json.object { json in for member in members { json.field(member.key, member.value) } }
    }
  }

  /// True if it is true.
  var isTrue: Bool { content == .bool(true) }
}
