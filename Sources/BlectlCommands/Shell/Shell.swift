// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import ScriptLanguage
internal import TerminalOutput

/// The interactive shell: takes lines, runs them over one link, and shows what comes meanwhile.
///
/// Only tasks on the loop use it.
final class Shell: @unchecked Sendable {
  let context: CommandContext
  let console: Console
  let source: any LineSource
  /// The commands of the tool that are not about a device.
  let tool: ShellTool
  var connection: ShellConnection?
  var parser = ScriptParser()
  /// The lines of a loop that is not complete.
  var openLines: [String] = []
  /// The lines that have succeeded, for `.save`.
  var keptLines: [String] = []
  private var variables: [String: String] = [:]
  private var isOver = false
  /// How many lines there were, how many failed, and the first failure.
  private var tally: (lines: Int, failures: Int, first: CommandError?) = (0, 0, nil)

  init(_ context: CommandContext, _ tool: ShellTool) {
    self.context = context
    self.tool = tool
    let edited = EditedLines(on: context.loop, context.console)
    source = edited ?? PlainLines(on: context.loop, context.console)
    if edited != nil {
      let screen = ShellScreen(on: context.loop, source)
      console = context.console.redirected { screen.take($0) }
    } else {
      console = context.console
    }
    edited?.completions = { [weak self] line, start in
      self.map { ShellCompletion($0.tool, $0.connection).candidates(line, start) } ?? []
    }
  }

  /// Takes lines until the end of the input.
  ///
  /// - Parameter target: the first device; nil is none.
  /// - Throws: why the first device cannot be used.
  func run(_ target: DeviceChoice?) async throws {
    let source = source
    context.terminal.onResize {
      source.resized()
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
          source.interrupt()
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
    // A person has seen the failures; whatever wrote the lines reads the status.
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

  var prompt: String {
    if parser.isInLoop { return "... " }
    guard let connection else { return "blectl> " }
    return
      "\(TerminalSafe.escaped(connection.name)) \(connection.isOpen ? ShellTool.openSign : ShellTool.closedSign)> "
  }

  func note(_ text: String) {
    console.note(TerminalSafe.escaped(text))
    source.setPrompt(prompt)
  }

  // MARK: Lines

  private func perform(_ line: String) async {
    context.terminal.onInterrupt(nil)
    let task = Task(executorPreference: context.loop) { try await self.interpret(line) }
    let isCancelled = Lock(false)
    context.terminal.onInterrupt {
      let isFirst = isCancelled.withLock { isCancelled in
        defer { isCancelled = true }
        return !isCancelled
      }
      if isFirst { task.cancel() }
      return isFirst
    }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    await connection?.refresh()
    guard case .failure(let error) = result else { return }
    (parser, openLines) = (ScriptParser(), [])
    if isCancelled.withLock(\.self) { return console.note("") }
    guard let known = ErrorReport.understood(error, device: connection?.name) else { return }
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
    if !parser.isInLoop, ShellTool.ownWords.contains(first) || tool.isCommand(first) {
      let words = try expanded(lexed)
      switch first {
      case "quit", "exit":
        isOver = true
        return
      case "use": return try await use(try target(words))
      case "help": return try console.write(lines: try tool.help(words.dropFirst().first))
      case ".save": return try save(words)
      default: break
      }
      if let command = try tool.command(words, context.options) {
        return try await command.run(in: commandContext(command.common.values))
      }
    }
    try await step(line)
  }

  /// The words of a line that is not about the device, with the values of their variables.
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
      LoadedScript(typedWith: tool.vocabulary), options: context.options, address: "\(connection.address)",
      device: connection.live, variables: variables)
    defer { variables = interpreter.variables }
    try await interpreter.run(statements)
  }

  private func commandContext(_ options: GlobalOptions) -> CommandContext {
    context.line(options, over: nil, console: console)
  }

  // MARK: Commands of the shell

  private func target(_ words: [String]) throws(CommandError) -> DeviceChoice {
    guard words.count > 1 else { throw .usage("cannot use a device: none is named", hint: "use DEVICE") }
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

  private func save(_ words: [String]) throws {
    guard words.count == 2 else { throw CommandError.usage("cannot save: use .save FILE") }
    if FileStatus.exists(words[1]) {
      throw CommandError.usage("cannot save to \(words[1]): it exists")
    }
    try ShellTool.write(keptLines, to: words[1])
  }
}

/// Takes what commands print, on any thread, and shows it above the line that is being typed.
final class ShellScreen: Sendable {
  private let loop: EventLoop
  private let waiting = Lock<[UInt8]>([])
  private let source: any LineSource

  init(on loop: EventLoop, _ source: any LineSource) {
    self.loop = loop
    self.source = source
  }

  func take(_ bytes: [UInt8]) {
    waiting.withLock { $0 += bytes }
    if loop.isCurrent { flush() } else { loop.submit { self.flush() } }
  }

  private func flush() {
    let bytes = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if !bytes.isEmpty { source.show(bytes) }
  }
}
