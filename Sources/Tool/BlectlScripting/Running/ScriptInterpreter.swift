// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// Runs the statements of a script on a device: variables, loops, and what to do about failures.
final class ScriptInterpreter {
  private let loaded: LoadedScript
  private let options: GlobalOptions
  private let address: String
  /// The device as errors name it.
  private let title: String
  private let device: any ScriptDevice
  /// Reports a failure, after which the script continues; nil ends it at the first failure.
  private let goOn: ((CommandError) -> Void)?
  private(set) var results = ScriptResults()
  private(set) var variables: [String: String]

  init(
    _ loaded: LoadedScript, options: GlobalOptions, address: String, named title: String? = nil,
    device: any ScriptDevice, variables: [String: String]? = nil, goOn: ((CommandError) -> Void)? = nil
  ) {
    (self.loaded, self.options, self.address) = (loaded, options, address)
    self.title = title ?? address
    (self.device, self.goOn) = (device, goOn)
    self.variables = variables ?? loaded.overrides
  }

  /// Runs the script once.
  ///
  /// - Throws: the first failure with its place, or, if the script continues after failures, a summary at the end;
  ///   `CancellationError`.
  func run() async throws {
    results = ScriptResults()
    variables = loaded.overrides
    try await run(loaded.script.statements)
    guard let first = results.firstFailure else { return }
    var summary = first
    summary.message =
      "cannot complete \(loaded.name): \(results.failureCount) of \(results.runs) steps failed"
    summary.details = []
    throw summary
  }

  /// Runs statements, such as those that were typed.
  func run(_ statements: [ScriptStatement]) async throws {
    for statement in statements {
      try Task.checkCancellation()
      switch statement {
      case .step(let line): try await perform(line, device.perform)
      case .reading(let name, let line): try await read(name, line)
      case .assignment(let name, let word):
        if loaded.overrides[name] == nil {
          variables[name] = try attempt { () throws(CommandError) in try expanded(word) }
        }
      case .loop(let loop): try await run(loop)
      }
    }
  }

  private func expanded(_ word: ScriptWord) throws(CommandError) -> String {
    if let text = word.expanded(variables) { return text }
    let name = word.variables.first { variables[$0.name] == nil }?.name ?? ""
    throw mistake(ScriptMistake(word.place, "no variable '\(name)'"))
  }

  /// The error for a mistake that only a value from the device reveals: other steps may have run by then.
  private func mistake(_ mistake: ScriptMistake) -> CommandError {
    if loaded.isTyped { return .usage("cannot run this: \(mistake.reason)") }
    return CommandError(status: .failed, message: "cannot continue at \(loaded.name):\(mistake)")
  }

  /// Evaluates part of a statement that is not a step; returns nil if that fails and the script continues.
  private func attempt<Result>(_ body: () throws(CommandError) -> Result) throws(CommandError) -> Result? {
    do throws(CommandError) {
      return try body()
    } catch {
      guard let goOn else { throw error }
      results.add(error)
      goOn(error)
      return nil
    }
  }

  private func rounds(of loop: ScriptLoop) throws(CommandError) -> ScriptRounds {
    for word in loop.words { _ = try expanded(word) }
    do throws(ScriptMistake) {
      if let rounds = try loop.rounds(variables) { return rounds }
    } catch {
      throw mistake(error)
    }
    throw mistake(ScriptMistake(loop.place, "a variable has no value"))
  }

  private func run(_ loop: ScriptLoop) async throws {
    guard let rounds = try attempt({ () throws(CommandError) in try rounds(of: loop) }) else { return }
    for round in 0..<rounds.count {
      if case .values(let name, _) = loop.rounds { variables[name] = rounds.value(round) }
      try await run(loop.body)
    }
  }

  private func read(_ name: String, _ line: ScriptLine) async throws {
    var isRead = false
    try await perform(line) { step in
      guard case .read(let command) = step else { return }
      let bytes = try await self.device.value(of: command)
      let view = command.view ?? ValueView(.hex)
      if let problem = view.format.problem(with: bytes) {
        throw CommandError(
          status: .failed, message: "cannot keep the value as \(view.format.word): \(problem)")
      }
      self.variables[name] = view.text(of: bytes)
      isRead = true
    }
    // An older value must not stand for the one that could not be read.
    if !isRead { variables[name] = nil }
  }

  /// Parses a line with the current values of its variables, and runs it.
  private func perform(_ line: ScriptLine, _ body: (ScriptStep) async throws -> Void) async throws {
    let start = LoopClock.now
    do {
      try await body(try parsed(line))
      results.add(line, taking: LoopClock.now - start, failure: nil)
    } catch {
      guard !Task.isCancelled,
        let failure = ErrorReport.understood(error, device: title, on: options.onlyHost)
      else {
        // A signal, or standard output was closed.
        results.addInterrupted(line, after: LoopClock.now - start)
        throw error
      }
      let located = located(failure, line)
      results.add(line, taking: LoopClock.now - start, failure: located)
      guard let goOn else { throw located }
      goOn(located)
    }
  }

  private func parsed(_ line: ScriptLine) throws -> ScriptStep {
    guard let words = line.expanded(variables) else {
      for word in line.words { _ = try expanded(word) }
      throw CancellationError()
    }
    do throws(ScriptProblem) {
      return try loaded.grammar.step(words, for: address, inheriting: options)
    } catch {
      let message = "cannot run '\(words[0])': \(error.reason)"
      throw loaded.isTyped ? CommandError.usage(message) : CommandError(status: .failed, message: message)
    }
  }

  /// Adds the line and the values of its variables to a failure.
  private func located(_ error: CommandError, _ line: ScriptLine) -> CommandError {
    if loaded.isTyped { return error }
    var error = error
    error.message = "\(loaded.name):\(line.place.line): \(error.message)"
    var seen: Set<String> = []
    let values = line.words.flatMap(\.variables).filter { seen.insert($0.name).inserted }
      .map { "\($0.name)=\(variables[$0.name] ?? "")" }
    error.details.insert(
      line.source + (values.isEmpty ? "" : "  (\(values.joined(separator: ", ")))"), at: 0)
    return error
  }
}
