// SPDX-License-Identifier: MIT
package import JSON

/// The schema as a file.
extension Schema {
  /// The complete schema of a file.
  package static func document(_ root: Schema, title: String) -> [UInt8] {
    var definitions: [(name: String, about: String, schema: Schema)] = []
    root.collect(into: &definitions)
    var json = JSONWriter(layout: .indented)
    json.object { json in
      json.field("$schema", "https://json-schema.org/draft/2020-12/schema")
      json.field("title", title)
      root.write(to: &json)
      json.object("$defs") { json in
        for definition in definitions {
          json.object(definition.name) { json in
            json.field("description", definition.about)
            definition.schema.write(to: &json)
          }
        }
      }
    }
    json.endRecord()
    return json.bytes
  }

  /// Writes the keywords of this part into an object.
  private func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.field("type", "null")
    case .flag: json.field("type", "boolean")
    case .number: json.field("type", "number")
    case .integer(let range):
      json.field("type", "integer")
      json.field("minimum", range.lowerBound)
      json.field("maximum", range.upperBound)
    case .text(let pattern, let examples):
      json.field("type", "string")
      json.field("pattern", pattern)
      if !examples.isEmpty { json.field("examples", examples) }
    case .words(let words): json.field("enum", words)
    case .list(let element, let least):
      json.field("type", "array")
      if least > 0 { json.field("minItems", least) }
      json.object("items") { element.write(to: &$0) }
    case .dictionary(let keys, let element):
      json.field("type", "object")
      json.object("propertyNames") { $0.field("pattern", keys) }
      json.object("additionalProperties") { element.write(to: &$0) }
    case .object(let properties, let required): Schema.write(properties, required, to: &json)
    case .any(let parts):
      json.array("anyOf") { json in
        for part in parts { json.object { part.write(to: &$0) } }
      }
    case .named(let name, _, _): json.field("$ref", "#/$defs/\(name)")
    }
  }

  private static func write(_ properties: [Property], _ required: [String], to json: inout JSONWriter) {
    json.field("type", "object")
    json.object("properties") { json in
      for property in properties {
        json.object(property.name) { json in
          json.field("description", property.about)
          property.schema.write(to: &json)
        }
      }
    }
    if !required.isEmpty { json.field("required", required) }
    json.field("additionalProperties", false)
  }

  /// Collects the named parts, each once.
  private func collect(into found: inout [(name: String, about: String, schema: Schema)]) {
    switch self {
    case .list(let element, _), .dictionary(_, let element): element.collect(into: &found)
    case .object(let properties, _): for property in properties { property.schema.collect(into: &found) }
    case .any(let parts): for part in parts { part.collect(into: &found) }
    case .named(let name, let about, let schema):
      guard !found.contains(where: { $0.name == name }) else { return }
      found.append((name, about, schema))
      schema.collect(into: &found)
    default: break
    }
  }
}
