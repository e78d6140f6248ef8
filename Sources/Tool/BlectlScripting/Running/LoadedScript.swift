// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput

/// A script that was read, parsed and checked, before anything is sent.
struct LoadedScript: Sendable {
  /// The file; `stdin` for standard input.
  let name: String
  let script: Script
  let grammar: any ScriptGrammar
  /// The variables of `--set`.
  let overrides: [String: String]

  /// True if the lines are typed one by one: messages omit their place.
  let isTyped: Bool

  /// Stands for any device while a script is checked.
  private static let anyAddress = "00:00:00:00:00:00"
  /// The size of the longest script in bytes.
  static let longest = 1 << 20

  init(typedWith grammar: any ScriptGrammar) {
    self.grammar = grammar
    (name, script, overrides, isTyped) = ("line", Script([]), [:], true)
  }

  /// Parses and checks a script, which may run `onSeveral` devices; `hint` is for one without commands.
  ///
  /// - Throws: ``CommandError`` with status usage and all mistakes.
  init(
    _ bytes: [UInt8], named name: String, _ grammar: any ScriptGrammar,
    overriding overrides: [String: String], onSeveral: Bool = false, _ options: GlobalOptions,
    hintIfEmpty hint: String? = nil
  ) throws(CommandError) {
    self.name = name
    self.grammar = grammar
    self.overrides = overrides
    isTyped = false
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("cannot run \(name): it is not text")
    }
    let parsed = ScriptParser.parse(text)
    script = parsed.script
    var check = ScriptCheck(overriding: overrides) { line, words in
      Self.mistake(line, words, grammar, onSeveral: onSeveral, options)
    }
    let (mistakes, unused) = check.mistakes(in: parsed.script)
    try Self.require(parsed.mistakes + mistakes, name)
    if script.statements.isEmpty { throw .usage("cannot run \(name): it contains no command", hint: hint) }
    guard let first = unused.first else { return }
    let advice = Spelling.advice(for: first, among: check.names).map { "; \($0)" } ?? ""
    throw .usage("cannot set \(first): \(name) has no such variable\(advice)")
  }

  private static func require(_ mistakes: [ScriptMistake], _ name: String) throws(CommandError) {
    guard let first = mistakes.min(by: { $0.place < $1.place }) else { return }
    if mistakes.count == 1 { throw .usage("cannot run \(name):\(first)") }
    var error = CommandError.usage("cannot run \(name): it has \(mistakes.count) mistakes")
    error.details = mistakes.sorted { $0.place < $1.place }.map { "\(name):\($0)" }
    throw error
  }

  private static func mistake(
    _ line: ScriptLine, _ words: [String], _ grammar: any ScriptGrammar, onSeveral: Bool,
    _ options: GlobalOptions
  ) -> ScriptMistake? {
    do throws(ScriptProblem) {
      let step = try grammar.step(words, for: anyAddress, inheriting: options)
      guard onSeveral, let problem = step.problemOnSeveral else { return nil }
      throw ScriptProblem(reason: problem)
    } catch {
      return ScriptMistake(line.words[error.word].place, TerminalSafe.sentence(error.reason))
    }
  }
}
