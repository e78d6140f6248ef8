// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import Glibc
internal import TerminalOutput
internal import ValueStreams

/// The tool from its arguments to its exit status.
package enum CommandLineTool {
  /// Runs the command and the event loop that reads the bus on this thread, and ends the process.
  package static func main() -> Never {
    StandardDescriptors.open()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let command: any BlectlCommand
    do {
      if let problem = ArgumentBytes.problem(in: ArgumentBytes.ofProcess) { throw problem }
      TypedNames.remember()
      // Help about profiles does not depend on them.
      if arguments.first != HelpCommand._commandName { try installProfiles(arguments) }
      command = try parse(arguments)
    } catch {
      finishParsing(extended(error, arguments), arguments)
    }
    let loop = EventLoop(onCurrentThread: ())
    let signals = Signals(on: loop)
    let context = CommandContext(
      options: command.common.values, loop: loop, console: Console(color: command.common.color))
    let task = loop.spawn {
      let outcome = await Result {
        // The file that these change may not exist yet.
        if !(command is KeysCommand) { try context.keys.requireIfGiven() }
        try context.bus.readWorld()
        try await command.run(in: context)
      }
      await context.bus.close()
      end(outcome, context, signals, device: command.deviceText)
    }
    signals.onFirst {
      task.cancel()
      context.bus.beginToLeave()
    }
    signals.onInterrupt { context.terminal.interrupted() }
    signals.onSecond { context.bus.abandonPairing() }
    signals.onResize { context.terminal.resized() }
    loop.run()
  }

  /// Runs the extension that the words name, if there is one; else the error about them.
  ///
  /// Only after the words were refused, so that no command of ours pays for a search in PATH.
  private static func extended(_ error: any Error, _ arguments: [String]) -> any Error {
    // No name of a program begins with "-"; to look at the error takes longer.
    guard let first = arguments.first, !first.hasPrefix("-") || first == ExtensionCompletion.question,
      Blectl.exitCode(for: error).isSuccess == false
    else { return error }
    let folders = Blectl.extensions
    do {
      if first == ExtensionCompletion.question {
        let lines = ExtensionCompletion(folders: folders).lines(for: Array(arguments.dropFirst()))
        return CleanExit.message(lines.joined(separator: "\n"))
      }
      if HelpCommand.words.contains(first), arguments.count == 2 {
        try folders.find(arguments[1])?.take(["--help"])
        return HelpTopic(rawValue: arguments[1]) == nil && Blectl.command(named: arguments[1]) == nil
          ? HelpCommand.unknownSubject(arguments[1], extensions: folders.all().map(\.name)) : error
      }
      guard !first.isEmpty, !first.hasPrefix("-"), Blectl.command(named: first) == nil else { return error }
      try folders.find(first)?.take(Array(arguments.dropFirst()))
      return UsageReport.unknownCommand(first, folders)
    } catch {
      return error
    }
  }

  /// Makes profiles the vocabulary of this process, before the first name is parsed.
  private static func installProfiles(_ arguments: [String]) throws(CommandError) {
    try ProfileFiles(arguments: arguments) { getenv($0).map { String(cString: $0) } }.install { lines in
      let console = Console(color: .auto)
      for line in lines { console.warn(line) }
      console.flush()
    }
  }

  /// Throws ArgumentParser's errors, and its requests for help or the version.
  static func parse(_ arguments: [String]) throws -> any BlectlCommand {
    guard let name = arguments.first else { throw CleanExit.message(Welcome.text) }
    // It is asked for by scripts, and needs no tree of all commands.
    if arguments == ["--version"] { throw CleanExit.message(Blectl.configuration.version) }
    if let type = Blectl.blectlCommand(named: name) {
      // A command alone parses faster than the tree of all commands; help and errors need the tree.
      if let command = parsed(type, Array(arguments.dropFirst())) { return command }
    } else if !name.isEmpty, !name.hasPrefix("-"), Blectl.command(named: name) == nil {
      // ArgumentParser takes it for an argument of the tool, and --help after it for a question about the tool.
      throw UsageReport.unknownCommand(name)
    }
    return try parseInTree(arguments)
  }

  /// Nil if the arguments are not those of the command.
  ///
  /// Generic, because the runtime would look up the type of any command.
  private static func parsed<Command: BlectlCommand>(
    _ type: Command.Type, _ arguments: [String]
  ) -> (any BlectlCommand)? {
    try? type.parse(OptionalValue.split(arguments))
  }

  /// Parses with the tree of all commands.
  static func parseInTree(_ arguments: [String]) throws -> any BlectlCommand {
    var command = try Blectl.parseAsRoot(OptionalValue.split(arguments))
    if let command = command as? any BlectlCommand { return command }
    // For `--help`, ArgumentParser returns a command whose run() throws the text.
    try command.run()
    throw CleanExit.helpRequest(Blectl.self)
  }

  /// Prints help and the version to stdout, and errors to stderr with status 64; ends the process.
  private static func finishParsing(_ error: any Error, _ arguments: [String]) -> Never {
    signal(SIGPIPE, SIG_IGN)
    let console = Console(color: .auto)
    do {
      // ArgumentParser makes the whole help for that, and leaves it out.
      if arguments == ["--version"] {
        try console.write(line: Blectl.configuration.version)
        leave(console, with: .done)
      }
      guard Blectl.exitCode(for: error).isSuccess else { throw UsageReport.error(error, arguments) }
      try console.write(line: completed(Blectl.fullMessage(for: error), arguments))
      leave(console, with: .done)
    } catch {
      end(because: error, on: console)
    }
  }

  /// Completes the text of ArgumentParser.
  private static func completed(_ text: String, _ arguments: [String]) -> String {
    guard let page = HelpPage(text) else {
      return CompletionScript.mended(text, commands: Blectl.commandWords)
    }
    if page.isOfTool {
      return ToolHelp.text(isLong: arguments.contains("--help"), extensions: Blectl.extensions.all())
    }
    if arguments.contains("-h"), !arguments.contains("--help") { return page.shortText }
    return page.text(isOffline: Blectl.command(named: page.commandName) is any OfflineCommand.Type)
  }

  private static func end(
    _ outcome: Result<Void, any Error>, _ context: CommandContext, _ signals: Signals, device: String?
  ) -> Never {
    TerminalRestorer.restore()
    if case .failure(let error) = outcome {
      if let signal = signals.received {
        // A closed terminal takes no more output.
        let isExpected = signal == SIGHUP && error is ConsoleError
        if isExpected || ErrorReport.understood(error, device: device, on: nil) == nil {
          leave(context.console, by: signal)
        }
      }
      if let child = error as? ChildEnded {
        context.console.flush()
        exit(child.status)
      }
      end(because: error, on: context.console, context.options, device: device)
    }
    if let signal = signals.received { leave(context.console, by: signal) }
    leave(context.console, with: .done)
  }

  /// Ends the process with a status after its messages are written.
  private static func leave(_ console: Console, with status: ExitStatus) -> Never {
    console.flush()
    exit(status.rawValue)
  }

  /// Ends the process as a signal would, after its messages are written.
  private static func leave(_ console: Console, by signal: Int32) -> Never {
    console.flush()
    Signals.end(by: signal)
  }

  private static func end(
    because error: any Error, on console: Console, _ options: GlobalOptions? = nil, device: String? = nil
  ) -> Never {
    if error as? ConsoleError == .closed { leave(console, by: SIGPIPE) }
    guard let error = ErrorReport.understood(error, device: device, on: options?.onlyHost) else {
      leave(console, with: .failed)
    }
    ErrorReport.print(error, verbosity: options?.verbose ?? 0, on: console)
    leave(console, with: error.status)
  }
}

extension Result where Failure == any Error {
  /// The result of a closure, for work that must be ended before the error is thrown.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
