// SPDX-License-Identifier: MIT
internal import BLEMeaning
package import JSON

extension DecodedValue: JSONValue {
  package func write(to json: inout JSONWriter) {
    switch self {
    case .integer(let number): json.literal(String(number))
    case .decimal(let number): json.literal(number.description)
    case .text(let text): json.text(text)
    case .bool(let isTrue): json.literal(isTrue ? "true" : "false")
    case .bytes(let bytes): json.text(Hex.string(bytes))
    case .list(let values): json.array { for value in values { value.write(to: &$0) } }
    case .fields(let fields): json.value(fields)
    }
  }
}

extension DecodedFields: JSONValue {
  /// An object: the values by their keys, then `rest` and `problem` where there is something to say.
  package func write(to json: inout JSONWriter) {
    json.object { write(fieldsTo: &$0) }
  }

  /// The fields alone, into an object that is being written.
  package func write(fieldsTo json: inout JSONWriter) {
    // Not through the writer's generic functions, which are not made anew for other modules.
    for field in fields {
      json.key(field.key)
      field.value.write(to: &json)
    }
    if !rest.isEmpty { json.field("rest", hex: rest) }
    if !problems.isEmpty { json.field("problem", problems.joined(separator: "; ")) }
  }
}
