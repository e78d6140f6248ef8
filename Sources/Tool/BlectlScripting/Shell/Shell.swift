// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
package import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// The interactive shell: runs lines over one link, and shows what arrives between them.
///
/// Only tasks on the loop use it.
package final class Shell {
  static let ownWords = ["use", "help", ".save", "quit", "exit"]

  let context: CommandContext
  let console: Console
  private let source: any LineSource
  private let grammar: any ScriptGrammar
  private var connection: ShellConnection?
  private var parser = ScriptParser()
  /// The lines of a loop that is not complete.
  private var openLines: [String] = []
  /// The steps that succeeded, for `.save`.
  private var keptLines: [String] = []
  private var variables: [String: String] = [:]
  private var isOver = false
  private var tally: (lines: Int, failures: Int, first: CommandError?) = (0, 0, nil)

  package init(_ context: CommandContext, _ grammar: any ScriptGrammar) {
    self.context = context
    self.grammar = grammar
    let edited = EditedLines(on: context.loop, context.console)
    source = edited ?? PlainLines(on: context.loop, context.console)
    if edited != nil {
      let screen = ShellScreen(on: context.loop, source)
      console = context.console.redirected { screen.take($0) }
    } else {
      console = context.console
    }
    edited?.completions = { [weak self] line, start in
      self.map { shell in
        let connection = shell.connection
        return ShellCompletion(shell.grammar, connection?.characteristics ?? [], of: connection?.device)
          .candidates(line, start)
      } ?? []
    }
  }

  /// Runs lines until the end of the input.
  ///
  /// - Parameter target: the first device; nil is none.
  /// - Throws: why the first device cannot be used, or that lines of a program failed; `CancellationError`.
  package func run(_ target: DeviceChoice?) async throws {
    let lines = context.loop.confine(source)
    context.terminal.onResize {
      lines.value.resized()
      return true
    }
    defer {
      context.terminal.onInterrupt(nil)
      source.close()
    }
    do {
      if let target { try await use(target) }
      while !isOver {
        context.terminal.onInterrupt {
          lines.value.interrupt()
          return true
        }
        switch await source.line(prompt: prompt) {
        case .end:
          isOver = true
          if let mistake = parser.unclosed { report(.usage("cannot run this: \(mistake.reason)")) }
        case .interrupted: (parser, openLines) = (ScriptParser(), [])
        case .text(let line): await perform(line)
        }
      }
    } catch {
      await connection?.close()
      throw error
    }
    await connection?.close()
    try Task.checkCancellation()
    // A person saw the failures; a program reads the status.
    if !source.isInteractive, var failure = tally.first {
      failure.message = "cannot complete the input: \(tally.failures) of \(tally.lines) lines failed"
      (failure.details, failure.causes, failure.hint) = ([], [], nil)
      throw failure
    }
  }

  private func report(_ error: CommandError) {
    tally.failures += 1
    tally.first = tally.first ?? error
    ErrorReport.print(error, verbosity: context.options.verbose, on: console)
  }

  // MARK: The prompt

  private var prompt: String { parser.isInLoop ? "... " : connection?.prompt ?? "blectl> " }

  func note(_ text: String) {
    console.note(TerminalSafe.escaped(text))
    source.setPrompt(prompt)
  }

  // MARK: Lines

  private func perform(_ line: String) async {
    context.terminal.onInterrupt(nil)
    let task = context.loop.spawn { [self] in try await interpret(line) }
    let isCancelled = Lock(false)
    context.terminal.onInterrupt {
      let isFirst = !isCancelled.exchange(true)
      if isFirst { task.cancel() }
      return isFirst
    }
    let result = await task.attachedResult
    await connection?.refresh()
    guard case .failure(let error) = result else { return }
    (parser, openLines) = (ScriptParser(), [])
    if isCancelled.withLock(\.self) { return console.note("") }
    let host = context.options.onlyHost
    let device = connection?.live.link.title
    guard let known = ErrorReport.understood(error, device: device, on: host) else { return }
    report(known)
  }

  private func interpret(_ line: String) async throws {
    let lexed: ScriptLine
    do throws(ScriptMistake) {
      guard let found = try ScriptLexer.line(Substring(line), number: 1) else { return }
      lexed = found
      tally.lines += 1
    } catch {
      tally.lines += 1
      throw CommandError.usage("cannot run this: \(error.reason)")
    }
    let first = lexed.words[0].literal ?? ""
    if !parser.isInLoop, Self.ownWords.contains(first) || grammar.otherWords.contains(first) {
      let words = try expanded(lexed)
      switch first {
      case "quit", "exit":
        isOver = true
        return
      case "use": return try await use(try target(words))
      case "help": return try help(on: words.dropFirst().first)
      case ".save": return try save(words)
      default: break
      }
      if let command = try grammar.command(words, inheriting: context.options) {
        return try await command.run(in: commandContext(command.options))
      }
    }
    try await step(line)
  }

  /// The words of a line, with the values of their variables.
  private func expanded(_ line: ScriptLine) throws(CommandError) -> [String] {
    if let words = line.expanded(variables) { return words }
    let name = line.words.flatMap(\.variables).first { variables[$0.name] == nil }?.name ?? ""
    throw .usage("cannot run this: no variable '\(name)'")
  }

  /// Runs a line of the language, or keeps it until its loop is complete.
  private func step(_ line: String) async throws {
    let statements: [ScriptStatement]
    do throws(ScriptMistake) {
      statements = try parser.typed(line, number: 1)
    } catch {
      throw CommandError.usage("cannot run this: \(error.reason)")
    }
    openLines.append(line)
    if parser.isInLoop { return }
    defer { openLines = [] }
    try await run(statements)
    keptLines += openLines
  }

  private func run(_ statements: [ScriptStatement]) async throws {
    guard let connection else {
      throw CommandError.usage(
        "cannot run this: no device is in use", hint: "use DEVICE; scan lists those nearby")
    }
    let interpreter = ScriptInterpreter(
      LoadedScript(typedWith: grammar), options: context.options, address: "\(connection.address)",
      named: connection.live.link.title, device: connection.live, variables: variables)
    defer { variables = interpreter.variables }
    try await interpreter.run(statements)
  }

  private func commandContext(_ options: GlobalOptions) -> CommandContext {
    context.line(options, over: nil, console: console)
  }

  // MARK: Commands of the shell

  private func target(_ words: [String]) throws(CommandError) -> DeviceChoice {
    guard words.count > 1 else {
      throw .usage("cannot use a device: its name or address is missing", hint: "use DEVICE")
    }
    do throws(ArgumentError) {
      return DeviceChoice(try DeviceArgument(parsing: words.dropFirst().joined(separator: " ")))
    } catch {
      throw .usage("cannot use a device: \(error)")
    }
  }

  private func use(_ target: DeviceChoice) async throws {
    let link = try await DeviceConnection.open(target, in: commandContext(context.options))
    await connection?.close()
    connection = await ShellConnection(link, self)
  }

  private func help(on word: String?) throws {
    try console.write(lines: try grammar.help(on: word))
    if word != nil { return }
    try console.write(lines: [
      "", "repeat, for, set, let   loops and variables: blectl help scripts",
      "use DEVICE, .save FILE, help COMMAND, quit",
    ])
  }

  private func save(_ words: [String]) throws {
    guard words.count == 2 else { throw CommandError.usage("cannot save: use .save FILE") }
    let path = words[1]
    if FileStatus.exists(path) { throw CommandError.usage("cannot save to \(path): it exists") }
    do throws(OutputError) {
      try AtomicFile(path: path).write(Array((keptLines.joined(separator: "\n") + "\n").utf8))
    } catch {
      throw CommandError(status: .failed, message: "cannot save to \(TerminalSafe.escaped(path)): \(error)")
    }
  }
}

/// Shows the output of commands, from any thread, above the line that is being typed.
final class ShellScreen: Sendable {
  private let loop: EventLoop
  private let waiting = Lock<[UInt8]>([])
  private let source: Confined<any LineSource>

  init(on loop: EventLoop, _ source: any LineSource) {
    (self.loop, self.source) = (loop, loop.confine(source))
  }

  func take(_ bytes: [UInt8]) {
    waiting.withLock { $0 += bytes }
    if loop.isCurrent { flush() } else { loop.submit { self.flush() } }
  }

  private func flush() {
    let bytes = waiting.exchange([])
    if !bytes.isEmpty { source.value.show(bytes) }
  }
}
