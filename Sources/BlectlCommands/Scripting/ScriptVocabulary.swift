// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning
internal import BlectlArguments
internal import BlectlSession
internal import ScriptLanguage
internal import TerminalOutput

/// The commands that a script can use: every command about one device, and the steps that only scripts have.
struct ScriptVocabulary: Sendable {
  /// Why a line is not a command.
  struct Problem: Error {
    let reason: String
    /// Which word of the line it is about.
    var word = 0
  }

  static let steps: [any ScriptStep.Type] = [ExpectStep.self, SleepStep.self, UnsubscribeStep.self]

  let commands: [any DeviceCommand.Type]
  /// The words of commands that scripts cannot use.
  private let otherWords: [String]

  /// The vocabulary of a tool.
  ///
  /// - Parameter tool: all its commands.
  init(_ tool: [any ParsableCommand.Type]) {
    commands = tool.compactMap { $0 as? any DeviceCommand.Type }
    otherWords = tool.filter { !($0 is any DeviceCommand.Type) }.flatMap { $0.words }
  }

  private var all: [any ParsableCommand.Type] { commands + Self.steps }

  /// Every word that can begin a line.
  var words: [String] { all.flatMap { $0.words } + ScriptParser.keywords }

  /// The declaration of a command.
  func declaration(of word: String) -> (any ParsableCommand.Type)? {
    all.first { $0.words.contains(word) }
  }

  /// The step that the words of a line spell.
  ///
  /// - Parameters:
  ///   - words: the command and its arguments, without DEVICE.
  ///   - address: the device.
  ///   - options: hold unless the line has its own.
  /// - Returns: the step.
  /// - Throws: why the words are not a step, and which of them is the reason.
  func parse(
    _ words: [String], for address: String, inheriting options: GlobalOptions
  ) throws(Problem) -> ParsedStep {
    guard let type = declaration(of: words[0]) else { throw unknown(words[0]) }
    let isStep = type is any ScriptStep.Type
    let before = isStep ? [] : options.inherited + [address]
    let command: Any
    do {
      command = try type.parseAsRoot(before + words.dropFirst())
    } catch {
      if type.exitCode(for: error).isSuccess { throw notHere(words) }
      let arguments = Array(words.dropFirst())
      let reason = ArgumentMessage.reason(error, of: type, arguments, among: [])
      throw Problem(reason: reason, word: Self.word(in: [reason, type.message(for: error)], words))
    }
    if let step = command as? any ScriptStep { return .step(step) }
    guard let command = command as? any DeviceCommand else { throw notHere(words) }
    let problem = command.scriptProblem ?? command.common.values.lineProblem ?? command.pickProblem
    if let problem {
      throw Problem(
        reason: "\(problem); a line of a script cannot use it", word: Self.word(in: [problem], words))
    }
    return .command(command)
  }

  private func notHere(_ words: [String]) -> Problem {
    let word = words.firstIndex { ["--help", "-h", "--version"].contains($0) } ?? 0
    return Problem(reason: "'\(words[word])' prints help, and runs nothing", word: word)
  }

  private func unknown(_ word: String) -> Problem {
    if otherWords.contains(word) {
      return Problem(reason: "'\(word)' is not about a device; a script cannot use it")
    }
    let advice = Spelling.advice(for: word, among: words).map { "; \($0)" } ?? ""
    return Problem(reason: "no such command '\(word)'\(advice)")
  }

  /// The word that one of some messages quotes.
  private static func word(in messages: [String], _ words: [String]) -> Int {
    for match in messages.flatMap({ $0.matches(of: /'([^' ]*)[^']*'/) }) {
      let quoted = String(match.1)
      let index = words.indices.dropFirst().first { words[$0] == quoted || words[$0].hasPrefix(quoted + "=") }
      if let index { return index }
    }
    return 0
  }
}

extension GlobalOptions {
  /// The options of the whole run, as a line of a script gets them.
  var inherited: [String] {
    let (seconds, attoseconds) = (timeout.limit ?? .zero).components
    let fraction = String(attoseconds / 1_000_000_000)
    let digits = String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
    return ["--timeout=\(seconds).\(digits)", "--color=\(color.rawValue)"] + (json ? ["--json"] : [])
      + (quiet ? ["--quiet"] : []) + Array(repeating: "--verbose", count: verbose)
  }

  /// The options that choose where BlueZ is: a line cannot change that.
  static let ofWholeRun = ["--adapter", "--bus", "--simulate", "--pick"]

  /// The first option that belongs to the whole run.
  fileprivate var lineProblem: String? {
    let isGiven = [adapter != nil, bus != nil, simulate || world != nil]
    let option = zip(GlobalOptions.ofWholeRun, isGiven).first { $0.1 }?.0
    return option.map { "'\($0)' is an option of the whole run" }
  }
}

extension DeviceCommand {
  fileprivate var pickProblem: String? {
    target.pick == nil ? nil : "'--pick' is an option of the whole run"
  }
}
