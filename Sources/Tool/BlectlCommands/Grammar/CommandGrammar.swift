// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import JSON
internal import TerminalOutput

/// The commands of scripts and of the shell, as ArgumentParser parses them.
struct CommandGrammar: ScriptGrammar {
  /// Every command about one device, and the steps that only scripts have.
  private let steps: [any StepDeclaration.Type]
  /// The commands of the shell that are not about a device.
  private let others: [any BlectlCommand.Type]
  /// The words of all commands that scripts cannot use.
  private let foreignWords: [String]

  /// The reason that a script for several devices cannot read standard input.
  static let oneInput = "'-' is standard input, which only one of several devices would get"

  /// - Parameters:
  ///   - tool: all commands.
  ///   - excluded: those that the shell does not have.
  init(_ tool: [any ParsableCommand.Type], withoutInShell excluded: [any ParsableCommand.Type]) {
    let rest = tool.filter { !($0 is any DeviceCommand.Type) }
    steps =
      tool.compactMap { $0 as? any DeviceCommand.Type } + [
        ExpectStep.self, SleepStep.self, UnsubscribeStep.self,
      ]
    others = rest.filter { type in !excluded.contains { $0 == type } }.compactMap {
      $0 as? any BlectlCommand.Type
    }
    foreignWords = rest.flatMap { $0.words }
  }

  var stepWords: [String] { steps.flatMap { $0.words } }
  var otherWords: [String] { others.map { $0._commandName } }

  private func declaration(of word: String) -> (any ParsableCommand.Type)? {
    steps.first { $0.words.contains(word) } ?? other(word)
  }

  private func other(_ word: String) -> (any BlectlCommand.Type)? { others.first { $0._commandName == word } }

  func step(
    _ words: [String], for address: String, inheriting options: GlobalOptions
  ) throws(ScriptProblem) -> ScriptStep {
    guard let type = steps.first(where: { $0.words.contains(words[0]) }) else { throw unknown(words[0]) }
    let before = type is any DeviceCommand.Type ? options.words(for: type) + [address] : []
    let arguments = Array(words.dropFirst())
    let parsed: any ParsableCommand
    let step: ScriptStep?
    do {
      parsed = try type.parseAsRoot(before + arguments)
      step = try (parsed as? any StepDeclaration)?.step
    } catch {
      if type.exitCode(for: error).isSuccess { throw notHere(words) }
      let reason = ArgumentMessage.reason(error, of: type, arguments, among: [])
      throw ScriptProblem(reason: reason, word: Self.word(in: [reason, type.message(for: error)], words))
    }
    guard let step else { throw notHere(words) }
    guard let command = parsed as? any DeviceCommand else { return step }
    let problem = command.scriptProblem ?? command.common.values.lineProblem ?? command.pickProblem
    guard let problem else { return step }
    throw ScriptProblem(
      reason: "\(problem); a line of a script cannot use it", word: Self.word(in: [problem], words))
  }

  func command(
    _ words: [String], inheriting options: GlobalOptions
  ) throws(CommandError) -> (any ScriptCommand)? {
    guard let type = other(words[0]) else { return nil }
    let arguments = Array(words.dropFirst())
    do {
      return try type.parseAsRoot(options.words(for: type) + arguments) as? any BlectlCommand
    } catch {
      let reason = ArgumentMessage.reason(error, of: type, arguments, among: [])
      throw .usage("cannot run '\(words[0])': \(reason)", hint: "help \(words[0])")
    }
  }

  func help(on word: String?) throws(CommandError) -> [String] {
    guard let word else {
      let all = (steps as [any ParsableCommand.Type]) + others
      let width = all.map { $0._commandName.count }.max() ?? 0
      return all.map { "\(DisplayWidth.padded($0._commandName, to: width))  \($0.configuration.abstract)" }
    }
    guard let type = declaration(of: word) else {
      throw .usage("cannot show help on '\(word)': no such command", hint: "help")
    }
    let text = HelpPage(type, columns: 80)?.text(isOffline: type is any OfflineCommand.Type) ?? ""
    return (type is any DeviceCommand.Type ? ["Here, leave <device> out.", ""] : [])
      + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  func options(of word: String) -> [String] {
    guard let type = declaration(of: word) else { return [] }
    return CommandOptions(of: type).names.filter { !GlobalOptions.ofWholeRun.contains($0) }
  }

  private func notHere(_ words: [String]) -> ScriptProblem {
    let word = words.firstIndex { ["--help", "-h", "--version"].contains($0) } ?? 0
    return ScriptProblem(reason: "'\(words[word])' prints help, and runs nothing", word: word)
  }

  private func unknown(_ word: String) -> ScriptProblem {
    if foreignWords.contains(word) {
      return ScriptProblem(reason: "'\(word)' is no step: a script cannot use it")
    }
    let advice =
      Self.synonyms[word].map { "; did you mean \($0)?" }
      ?? Spelling.advice(for: word, among: stepWords + ScriptParser.keywords).map { "; \($0)" } ?? ""
    return ScriptProblem(reason: "no such command '\(word)'\(advice)")
  }

  /// Words of other languages for steps.
  private static let synonyms = ["wait": "sleep", "delay": "sleep", "pause": "sleep"]

  /// The index of the word that one of the messages quotes; 0 if there is none.
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
  /// The options of the whole run that hold for each line of a script, as words.
  fileprivate func words(for type: any ParsableCommand.Type) -> [String] {
    let (seconds, attoseconds) = (timeout.limit ?? .zero).components
    let fraction = String(attoseconds / 1_000_000_000)
    let digits = String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
    let timeout = type is any OfflineCommand.Type ? [] : ["--timeout=\(seconds).\(digits)"]
    return timeout + ["--color=\(color.rawValue)"] + (json ? ["--json"] : [])
      + (quiet ? ["--quiet"] : []) + Array(repeating: "--verbose", count: verbose)
  }

  /// The options that choose where BlueZ is: a line cannot change that.
  fileprivate static let ofWholeRun = ["--adapter", "--bus", "--simulate", "--pick"]

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
