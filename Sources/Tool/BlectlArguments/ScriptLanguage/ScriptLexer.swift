// SPDX-License-Identifier: MIT

/// Splits a line into words as a shell does, with quotes, backslashes, and comments that begin with `#`.
///
/// Within single quotes nothing is special; within double quotes, only `$`, and `\` before `$`, `"` and `\`.
package struct ScriptLexer {
  private let scalars: [Unicode.Scalar]
  private let number: Int
  private var index = 0

  private init(_ line: Substring, number: Int) {
    scalars = Array(line.unicodeScalars)
    self.number = number
  }

  /// Returns the words of a line without its line end; nil if it has none.
  ///
  /// - Throws: ``ScriptMistake``: a quote without its end, a `$` without a name, a control character.
  package static func line(_ line: Substring, number: Int) throws(ScriptMistake) -> ScriptLine? {
    var lexer = ScriptLexer(line, number: number)
    var words: [ScriptWord] = []
    while try lexer.skipsToWord() { words.append(try lexer.word()) }
    guard let first = words.first else { return nil }
    return ScriptLine(place: first.place, words: words, source: Self.trimmed(line))
  }

  private static func trimmed(_ line: Substring) -> String {
    var rest = line.unicodeScalars
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(Substring(rest.drop(while: isBlank)))
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  private var place: ScriptPlace { ScriptPlace(line: number, column: index + 1) }
  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  /// Skips blanks; returns false at the end of the line, or before a comment.
  private mutating func skipsToWord() throws(ScriptMistake) -> Bool {
    while let scalar = next, ScriptLexer.isBlank(scalar) { index += 1 }
    return next != nil && next != "#"
  }

  private mutating func word() throws(ScriptMistake) -> ScriptWord {
    let start = place
    var parts: [ScriptWord.Part] = []
    var text = ""
    var isQuoted = false
    while let scalar = next, !ScriptLexer.isBlank(scalar) {
      switch scalar {
      case "'":
        text += try singleQuoted()
        isQuoted = true
      case "\"":
        try doubleQuoted(&text, &parts)
        isQuoted = true
      case "\\":
        let backslash = place
        index += 1
        guard let escaped = next else { throw ScriptMistake(backslash, "a line cannot end with a backslash") }
        try append(escaped, to: &text)
      case "$": try variable(&text, &parts)
      default: try append(scalar, to: &text)
      }
    }
    if !text.isEmpty || isQuoted && parts.isEmpty { parts.append(.text(text)) }
    return ScriptWord(place: start, parts: parts)
  }

  private mutating func append(_ scalar: Unicode.Scalar, to text: inout String) throws(ScriptMistake) {
    if scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7f {
      throw ScriptMistake(place, "a script cannot contain the control character U+\(scalar.hexadecimal)")
    }
    text.unicodeScalars.append(scalar)
    index += 1
  }

  private mutating func singleQuoted() throws(ScriptMistake) -> String {
    let quote = place
    index += 1
    var text = ""
    while let scalar = next, scalar != "'" { try append(scalar, to: &text) }
    if next == nil { throw ScriptMistake(quote, "this quote is not closed") }
    index += 1
    return text
  }

  private mutating func doubleQuoted(
    _ text: inout String, _ parts: inout [ScriptWord.Part]
  ) throws(ScriptMistake) {
    let quote = place
    index += 1
    while let scalar = next, scalar != "\"" {
      if scalar == "$" {
        try variable(&text, &parts)
      } else {
        if scalar == "\\", index + 1 < scalars.count, "$\"\\".unicodeScalars.contains(scalars[index + 1]) {
          index += 1
        }
        try append(scalars[index], to: &text)
      }
    }
    if next == nil { throw ScriptMistake(quote, "this quote is not closed") }
    index += 1
  }

  /// Reads `$NAME` or `${NAME}`.
  private mutating func variable(
    _ text: inout String, _ parts: inout [ScriptWord.Part]
  ) throws(ScriptMistake) {
    let start = place
    index += 1
    let hasBraces = next == "{"
    if hasBraces { index += 1 }
    var name = ""
    while let scalar = next, ScriptName.allows(scalar, first: name.isEmpty) {
      name.unicodeScalars.append(scalar)
      index += 1
    }
    if name.isEmpty {
      throw ScriptMistake(
        start, "'$' needs the name of a variable behind it; for the character itself use '\\$'")
    }
    if hasBraces {
      guard next == "}" else { throw ScriptMistake(start, "'${\(name)' needs a '}'") }
      index += 1
    }
    if !text.isEmpty { parts.append(.text(text)) }
    text = ""
    parts.append(.variable(name, start))
  }
}

extension Unicode.Scalar {
  fileprivate var hexadecimal: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

/// The names of variables: letters, digits and `_`, but no digit first.
package enum ScriptName {
  package static func isValid(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.enumerated().allSatisfy { allows($0.element, first: $0.offset == 0) }
  }

  static func allows(_ scalar: Unicode.Scalar, first isFirst: Bool) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    case "0"..."9": !isFirst
    default: false
    }
  }
}
