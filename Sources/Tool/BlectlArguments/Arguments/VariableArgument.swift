// SPDX-License-Identifier: MIT

/// A variable of a script on the command line: `NAME=VALUE`.
package struct VariableArgument: Sendable, Hashable {
  package let name: String
  package let value: String

  package init(parsing text: String) throws(ArgumentError) {
    guard let sign = text.firstIndex(of: "=") else {
      throw ArgumentError(text, "has no value; use NAME=VALUE")
    }
    name = String(text[..<sign])
    value = String(text[text.index(after: sign)...])
    guard ScriptName.isValid(name) else {
      throw ArgumentError(name, "is not the name of a variable; use letters, digits and _")
    }
  }
}
