// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import Glibc

/// The tool from its arguments to its exit status.
package enum CommandLineTool {
  /// Runs the command that the arguments name, on this thread, and ends the process.
  ///
  /// The thread becomes the loop that reads the bus: no other is made.
  package static func main() -> Never {
    StandardStreams.open()
    let arguments = Array(CommandLine.arguments.dropFirst())
    UUIDAnswer.finish(plain: arguments)
    let command: any BlectlCommand
    if arguments == ["--version"] { tellVersion() }
    do {
      command = try parse(arguments)
    } catch {
      finishParsing(error, arguments)
    }
    let loop = EventLoop(onCurrentThread: ())
    let signals = Signals(on: loop)
    let session = Session(options: command.common, loop: loop, console: Console(color: command.common.color))
    nonisolated(unsafe) let boxed = command
    let task = Task(executorPreference: loop) {
      let outcome = await Result { try await boxed.run(in: session) }
      await session.close()
      end(outcome, session, signals, device: boxed.deviceText)
    }
    signals.onFirst { task.cancel() }
    signals.onResize { session.terminalResized() }
    loop.run()
  }

  /// The command that some arguments name.
  ///
  /// - Throws: what ArgumentParser throws: wrong arguments, or the wish for help or the version.
  static func parse(_ arguments: [String]) throws -> any BlectlCommand {
    if arguments.isEmpty { throw CleanExit.message(Welcome.text) }
    if let command = QuickCommands.command(arguments) { return command }
    return try parseWithArgumentParser(arguments)
  }

  /// The command that any arguments name, plain or not.
  static func parseWithArgumentParser(_ arguments: [String]) throws -> any BlectlCommand {
    var command = try Blectl.parseAsRoot(SimulateArgument.split(arguments))
    if let command = command as? any BlectlCommand { return command }
    // The root, or ArgumentParser's own command that stands for `--help`: running them throws the text to show.
    try command.run()
    throw CleanExit.helpRequest(Blectl.self)
  }

  /// What ArgumentParser would say, without waking it.
  private static func tellVersion() -> Never {
    finish(Console(color: .never)) { console throws(ConsoleError) in
      try console.write(line: Blectl.configuration.version)
    }
  }

  /// Writes what needs no loop, and ends the process.
  ///
  /// - Parameters:
  ///   - console: the console of this process.
  ///   - body: writes to it.
  static func finish<Failure: Error>(_ console: Console, _ body: (Console) throws(Failure) -> Void) -> Never {
    signal(SIGPIPE, SIG_IGN)
    do throws(Failure) {
      try body(console)
      exit(ExitStatus.done.rawValue)
    } catch {
      if error as? ConsoleError == .closed { Signals.end(by: SIGPIPE) }
      guard let error = ErrorReport.understood(error, device: nil) else { exit(ExitStatus.failed.rawValue) }
      for line in ErrorReport.lines(error, verbosity: 0) { console.note(line) }
      exit(error.status.rawValue)
    }
  }

  /// Help and version go to stdout; what is wrong with the arguments to stderr, with status 64.
  private static func finishParsing(_ error: any Error, _ arguments: [String]) -> Never {
    finish(Console(color: .auto)) { console in
      guard Blectl.exitCode(for: error).isSuccess else { throw UsageReport.error(error, arguments) }
      try console.write(line: dressed(Blectl.fullMessage(for: error)))
    }
  }

  /// What ArgumentParser wants to be printed, with what it does not know: help texts get their end.
  private static func dressed(_ text: String) -> String {
    text.hasPrefix("OVERVIEW: ") ? HelpFooter.append(to: text) : CompletionScript.mended(text)
  }

  private static func end(
    _ outcome: Result<Void, any Error>, _ session: Session, _ signals: Signals, device: String?
  ) -> Never {
    TerminalRestorer.restore()
    if case .failure(let error) = outcome {
      if let signal = signals.received {
        // A terminal that was closed takes nothing any more.
        let isExpected = signal == SIGHUP && error is ConsoleError
        if isExpected || ErrorReport.understood(error, device: device) == nil { Signals.end(by: signal) }
      }
      if error as? ConsoleError == .closed { Signals.end(by: SIGPIPE) }
      if let child = error as? ChildEnded { exit(child.status) }
      if let error = ErrorReport.understood(error, device: device) {
        for line in ErrorReport.lines(error, verbosity: session.options.verbose) {
          session.console.note(line)
        }
        exit(error.status.rawValue)
      }
      exit(ExitStatus.failed.rawValue)
    }
    if let signal = signals.received { Signals.end(by: signal) }
    exit(ExitStatus.done.rawValue)
  }
}

extension Result where Failure == any Error {
  /// What an asynchronous body returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
