// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import BlectlArguments
internal import BlectlSession
internal import ScriptLanguage
internal import TerminalOutput

/// A script that was read, parsed and checked: nothing has been sent.
struct LoadedScript: Sendable {
  /// The file, for messages; `stdin` for standard input.
  let name: String
  let script: Script
  let vocabulary: ScriptVocabulary
  /// The variables of `--set`.
  let overrides: [String: String]

  /// The address that stands for any device while a script is checked.
  private static let anyAddress = "00:00:00:00:00:00"
  /// The longest script, in bytes.
  static let longest = 1 << 20

  /// Whether the lines are typed one by one: their place is obvious.
  let isTyped: Bool

  /// No script yet: lines are typed.
  init(typedWith vocabulary: ScriptVocabulary) {
    self.vocabulary = vocabulary
    (name, script, overrides, isTyped) = ("line", Script([]), [:], true)
  }

  /// Reads and checks a script.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - vocabulary: its commands.
  ///   - overrides: the variables of `--set`.
  ///   - options: the options of the run.
  /// - Throws: ``CommandError`` with status usage and all mistakes.
  init(
    path: String, _ vocabulary: ScriptVocabulary, overriding overrides: [String: String],
    _ options: GlobalOptions
  ) throws {
    let bytes = try ValueSource.text(of: path, most: Self.longest)
    try self.init(
      bytes, named: path == "-" ? "stdin" : path, vocabulary, overriding: overrides, options)
  }

  /// Checks a script in memory.
  init(
    _ bytes: [UInt8], named name: String, _ vocabulary: ScriptVocabulary,
    overriding overrides: [String: String], _ options: GlobalOptions
  ) throws(CommandError) {
    self.name = name
    self.vocabulary = vocabulary
    self.overrides = overrides
    isTyped = false
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("cannot run \(name): it is not text")
    }
    let parsed = ScriptParser.parse(text)
    script = parsed.script
    var check = ScriptCheck(overriding: overrides) { line, words in
      Self.mistake(line, words, vocabulary, options)
    }
    let (mistakes, unused) = check.mistakes(in: parsed.script)
    try Self.require(parsed.mistakes + mistakes, name)
    if script.statements.isEmpty { throw .usage("cannot run \(name): it contains no command") }
    guard let first = unused.first else { return }
    throw .usage("cannot set \(first): \(name) has no such variable")
  }

  private static func require(_ mistakes: [ScriptMistake], _ name: String) throws(CommandError) {
    guard let first = mistakes.min(by: { $0.place < $1.place }) else { return }
    if mistakes.count == 1 { throw .usage("cannot run \(name):\(first)") }
    var error = CommandError.usage("cannot run \(name): it has \(mistakes.count) mistakes")
    error.details = mistakes.sorted { $0.place < $1.place }.map { "\(name):\($0)" }
    throw error
  }

  /// What is wrong with a line, by the declaration of its command.
  static func mistake(
    _ line: ScriptLine, _ words: [String], _ vocabulary: ScriptVocabulary, _ options: GlobalOptions
  ) -> ScriptMistake? {
    do throws(ScriptVocabulary.Problem) {
      _ = try vocabulary.parse(words, for: anyAddress, inheriting: options)
      return nil
    } catch {
      return ScriptMistake(line.words[error.word].place, TerminalSafe.sentence(error.reason))
    }
  }
}
