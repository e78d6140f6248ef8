// SPDX-License-Identifier: MIT

/// Parses the statements of a script, line by line, also while they are typed.
package struct ScriptParser {
  /// The words of the language itself.
  package static let keywords = ["repeat", "for", "end", "set", "let"]
  /// The deepest nesting of loops.
  package static let deepest = 16
  /// The number of mistakes after which the rest is not parsed.
  private static let mostMistakes = 20

  private struct OpenLoop {
    let word: String
    let place: ScriptPlace
    /// Nil if the line of the loop has a mistake.
    let rounds: ScriptLoop.Rounds?
    var body: [ScriptStatement] = []
    /// True if it has a line, with or without a mistake.
    var hasLines = false

    var unclosed: ScriptMistake { ScriptMistake(place, "'\(word)' without 'end'") }
  }

  private var loops: [OpenLoop] = []
  private var statements: [ScriptStatement] = []
  private var mistakes: [ScriptMistake] = []

  package init() {}

  /// Parses a text, and returns the first mistakes in order; the script is complete if there is none.
  package static func parse(_ text: String) -> (script: Script, mistakes: [ScriptMistake]) {
    var parser = ScriptParser()
    var number = 0
    var rest = Substring(text).unicodeScalars
    // Editors of other systems write a byte order mark.
    if rest.first == "\u{feff}" { rest.removeFirst() }
    while !rest.isEmpty, parser.mistakes.count < mostMistakes {
      number += 1
      let end = rest.firstIndex(of: "\n") ?? rest.endIndex
      var line = rest[..<end]
      if line.last == "\r" { line.removeLast() }
      parser.add(Substring(line), number: number)
      rest = rest[end...].dropFirst()
    }
    for loop in parser.loops { parser.mistakes.append(loop.unclosed) }
    return (Script(parser.statements), parser.mistakes.sorted { $0.place < $1.place })
  }

  /// True if a loop waits for its `end`.
  package var isInLoop: Bool { !loops.isEmpty }

  /// The mistake if no more lines follow: the outermost loop that waits for its `end`.
  package var unclosed: ScriptMistake? { loops.first?.unclosed }

  /// Parses a typed line, and returns the complete statements: none while a loop is open.
  ///
  /// - Throws: the first mistake, which drops an open loop.
  package mutating func typed(_ line: String, number: Int) throws(ScriptMistake) -> [ScriptStatement] {
    add(Substring(line), number: number)
    if let mistake = mistakes.first {
      self = ScriptParser()
      throw mistake
    }
    guard loops.isEmpty else { return [] }
    defer { statements = [] }
    return statements
  }

  private mutating func add(_ text: Substring, number: Int) {
    do throws(ScriptMistake) {
      guard let line = try ScriptLexer.line(text, number: number) else { return }
      try add(line)
    } catch {
      if !loops.isEmpty { loops[loops.count - 1].hasLines = true }
      mistakes.append(error)
    }
  }

  private mutating func add(_ line: ScriptLine) throws(ScriptMistake) {
    guard let word = line.words[0].literal else {
      throw ScriptMistake(line.place, "a command cannot be a variable")
    }
    switch word {
    case "repeat": try open(word, line) { line throws(ScriptMistake) in try Self.repetition(line) }
    case "for": try open(word, line) { line throws(ScriptMistake) in try Self.iteration(line) }
    case "end": try close(line)
    case "set": append(try Self.assignment(line))
    case "let": append(try Self.reading(line))
    default: append(.step(line))
    }
  }

  private mutating func append(_ statement: ScriptStatement) {
    if loops.isEmpty {
      statements.append(statement)
    } else {
      loops[loops.count - 1].body.append(statement)
      loops[loops.count - 1].hasLines = true
    }
  }

  // MARK: Loops

  private mutating func open(
    _ word: String, _ line: ScriptLine,
    _ rounds: (ScriptLine) throws(ScriptMistake) -> ScriptLoop.Rounds
  ) throws(ScriptMistake) {
    do throws(ScriptMistake) {
      guard loops.count < Self.deepest else {
        throw ScriptMistake(line.place, "loops cannot nest more than \(Self.deepest) deep")
      }
      loops.append(OpenLoop(word: word, place: line.place, rounds: try rounds(line)))
    } catch {
      // Keeps the loop, so that its `end` finds it.
      loops.append(OpenLoop(word: word, place: line.place, rounds: nil))
      throw error
    }
  }

  private mutating func close(_ line: ScriptLine) throws(ScriptMistake) {
    guard let loop = loops.popLast() else {
      throw ScriptMistake(line.place, "'end' without 'repeat' or 'for'")
    }
    if line.words.count > 1 { throw ScriptMistake(line.words[1].place, "nothing can follow 'end'") }
    if !loop.hasLines { throw ScriptMistake(loop.place, "this loop is empty") }
    guard let rounds = loop.rounds, !loop.body.isEmpty else {
      if !loops.isEmpty { loops[loops.count - 1].hasLines = true }
      // The lines are still examined, unless they would lack a variable.
      if loop.word == "repeat" { for statement in loop.body { append(statement) } }
      return
    }
    append(.loop(ScriptLoop(place: loop.place, rounds: rounds, body: loop.body)))
  }

  private static func repetition(_ line: ScriptLine) throws(ScriptMistake) -> ScriptLoop.Rounds {
    guard line.words.count == 2 else {
      throw ScriptMistake(
        line.words.count > 2 ? line.words[2].place : line.place,
        "'repeat' needs one number, such as repeat 10")
    }
    return .count(line.words[1])
  }

  private static func iteration(_ line: ScriptLine) throws(ScriptMistake) -> ScriptLoop.Rounds {
    guard line.words.count >= 4, line.words[2].literal == "in" else {
      throw ScriptMistake(line.place, "'for' needs a name and its values, such as for X in 00..72")
    }
    return .values(name: try name(line.words[1]), Array(line.words.dropFirst(3)))
  }

  // MARK: Variables

  private static func assignment(_ line: ScriptLine) throws(ScriptMistake) -> ScriptStatement {
    guard line.words.count == 3 else {
      throw ScriptMistake(
        line.words.count > 3 ? line.words[3].place : line.place,
        "'set' needs a name and one value, such as set LAMP 05; quote a value that has spaces")
    }
    return .assignment(name: try name(line.words[1]), value: line.words[2])
  }

  private static func reading(_ line: ScriptLine) throws(ScriptMistake) -> ScriptStatement {
    guard line.words.count >= 4 else {
      throw ScriptMistake(
        line.place, "'let' needs a name and what to read, such as let LEVEL read 2a19 --as u8")
    }
    guard line.words[2].literal == "read" else {
      throw ScriptMistake(line.words[2].place, "'let' can only keep what 'read' returns")
    }
    return .reading(name: try name(line.words[1]), line.dropping(2))
  }

  private static func name(_ word: ScriptWord) throws(ScriptMistake) -> String {
    guard let name = word.literal, ScriptName.isValid(name) else {
      let text = word.literal.map { "'\($0)'" } ?? "this"
      throw ScriptMistake(
        word.place, "\(text) is not the name of a variable; use letters, digits and _, without '$'")
    }
    return name
  }
}
