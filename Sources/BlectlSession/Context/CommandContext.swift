// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
internal import BlectlArguments
package import Logging
package import TerminalOutput

/// What a command runs with: its options and its console, and what all commands of the process share.
package struct CommandContext: Sendable {
  package let options: GlobalOptions
  package let console: Console
  package let loop: EventLoop
  /// The bus, and the managers of what is on it.
  package let bus: BusProvider
  /// The dialogue on the terminal of the process.
  package let terminal: TerminalUI
  /// The open connection of a script, which commands use instead of opening one.
  package private(set) var connection: DeviceConnection?
  /// Learns what is sent and received.
  package private(set) var observer: (any ScriptObserver)?
  /// Whether remarks are left out: a script would repeat them at every step.
  private var isTerse = false

  /// The context of the command of a process.
  ///
  /// - Parameters:
  ///   - options: the options of every command.
  ///   - loop: the loop to run on.
  ///   - console: what to print to.
  package init(options: GlobalOptions, loop: EventLoop, console: Console) {
    self.init(
      options, loop, console, BusProvider(options: options, loop: loop, console: console),
      TerminalUI(on: loop))
  }

  private init(
    _ options: GlobalOptions, _ loop: EventLoop, _ console: Console, _ bus: BusProvider,
    _ terminal: TerminalUI
  ) {
    (self.options, self.loop, self.console, self.bus, self.terminal) = (options, loop, console, bus, terminal)
  }

  /// The context of one line of a script.
  ///
  /// - Parameters:
  ///   - options: the options of the line.
  ///   - connection: the open connection; nil while there is none.
  ///   - console: what the line prints to.
  ///   - isTerse: whether remarks are left out.
  ///   - observer: learns what is sent and received.
  /// - Returns: the context, on the same bus and the same terminal.
  package func line(
    _ options: GlobalOptions, over connection: DeviceConnection?, console: Console, isTerse: Bool = false,
    observer: (any ScriptObserver)? = nil
  ) -> CommandContext {
    var context = CommandContext(options, loop, console, bus, terminal)
    (context.connection, context.observer, context.isTerse) = (connection, observer, isTerse)
    return context
  }

  /// The contexts that a command needs to use several hosts: one for each; else only this one.
  package func perHost() throws -> [(host: String?, context: CommandContext)] {
    let hosts = try options.wantedHosts()
    guard hosts.count > 1 else { return [(nil, self)] }
    return hosts.map { host in
      var options = options
      options.hosts = [host]
      let bus = BusProvider(options: options, loop: loop, console: console)
      return (host.description, CommandContext(options, loop, console, bus, terminal))
    }
  }

  /// The limit of every wait; nil is none.
  package var timeout: Duration? { options.timeout.limit }

  /// The logger of the library, on this console.
  package var logger: Logger { options.logger(on: console) }

  /// Prints what has happened to a device, unless `-q` was given, or the context is that of a script.
  package func remark(_ event: String, of info: PeripheralInfo) {
    remark("\(event): \(info.name ?? "no name") (\(info.address))")
  }

  /// Prints a remark on stderr, unless `-q` was given, or the context is that of a script.
  package func remark(_ text: String) {
    if !options.quiet, !isTerse { console.note(TerminalSafe.escaped(text)) }
  }

  /// Shows progress on stderr while `body` runs; see ``TerminalUI/showingProgress(on:_:_:)``.
  package func showingProgress<Result: Sendable>(
    _ text: String, _ body: () async throws -> Result
  ) async throws -> Result {
    try await showingProgress({ text }, body)
  }

  /// The same with a changing text, which is requested for each frame.
  package func showingProgress<Result: Sendable>(
    _ text: @escaping @Sendable () -> String, _ body: () async throws -> Result
  ) async throws -> Result {
    if options.quiet || options.verbose > 1 { return try await body() }
    return try await terminal.showingProgress(on: console, text, body)
  }
}
