// SPDX-License-Identifier: MIT

/// A part of a JSON Schema (draft 2020-12).
package indirect enum Schema: Sendable {
  case null
  case flag
  case integer(ClosedRange<Int>)
  case number
  case text(pattern: String?, examples: [String])
  case words([String])
  case list(of: Schema, atLeast: Int)
  /// An object whose keys match a pattern.
  case dictionary(keys: String, of: Schema)
  case object(properties: [Property], required: [String])
  case any([Schema])
  /// A named schema, written once in `$defs`.
  case named(String, about: String, Schema)

  package struct Property: Sendable {
    package let name: String
    package let about: String
    package let schema: Schema

    package init(name: String, about: String, schema: Schema) {
      (self.name, self.about, self.schema) = (name, about, schema)
    }
  }
}
