// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
internal import BlectlArguments
package import Logging
package import TerminalOutput
package import ValueStreams

/// The options and the console of a command, and what all commands of the process share.
package struct CommandContext: Sendable {
  package let options: GlobalOptions
  package let console: Console
  package let loop: EventLoop
  package let bus: BusProvider
  package let terminal: TerminalUI
  /// The keys of the user.
  package let keys: KeyStore
  /// The user's names for the devices.
  package let names: DeviceNames
  /// Decodes advertisements with the keys of the user.
  package let decoder: AdvertisementDecoder
  /// The open connection of a script, which its commands use instead of opening one.
  package private(set) var connection: DeviceConnection?
  /// Is told what is sent and received.
  package private(set) var observer: (any ScriptObserver)?
  /// Omits remarks, which a script would repeat at every step.
  private var isTerse = false

  ///   - console: what to print to.
  package init(options: GlobalOptions, loop: EventLoop, console: Console) {
    (self.options, self.loop, self.console) = (options, loop, console)
    terminal = TerminalUI(on: loop)
    keys = KeyStore(options, console)
    names = DeviceNames(keys: keys, warn: console.warn)
    decoder = AdvertisementDecoder(keys: keys, options, console)
    bus = BusProvider(options: options, loop: loop, console: console, names: names)
  }

  /// A context that shares what the process has once: the terminal, keys and names.
  private init(
    sharing other: CommandContext, options: GlobalOptions, console: Console, bus: BusProvider
  ) {
    (self.options, self.console, self.bus) = (options, console, bus)
    (loop, terminal, keys, names) = (other.loop, other.terminal, other.keys, other.names)
    decoder = other.decoder
  }

  /// The context of one line of a script, on the same bus and terminal; without `connection`, it opens one.
  package func line(
    _ options: GlobalOptions, over connection: DeviceConnection?, console: Console, isTerse: Bool = false,
    observer: (any ScriptObserver)? = nil
  ) -> CommandContext {
    var context = CommandContext(sharing: self, options: options, console: console, bus: bus)
    (context.connection, context.observer, context.isTerse) = (connection, observer, isTerse)
    return context
  }

  /// The contexts for several hosts, one each; only this one without or with a single host.
  package func perHost() throws -> [(host: String?, context: CommandContext)] {
    let hosts = try options.wantedHosts()
    guard hosts.count > 1 else { return [(nil, self)] }
    return hosts.map { host in
      var options = options
      options.hosts = [host]
      let bus = BusProvider(options: options, loop: loop, console: console, names: names)
      return (
        host.description, CommandContext(sharing: self, options: options, console: console, bus: bus)
      )
    }
  }

  /// The context for an adapter of the same bus, with a manager of its own, which the caller closes; nil is the first one.
  package func using(adapter: String?) async throws -> CommandContext {
    var options = options
    options.adapter = adapter
    if options.simulate {
      // There is one simulation for all.
      options.bus = try await bus.childBusAddress()
      (options.simulate, options.world) = (false, nil)
    }
    let bus = BusProvider(options: options, loop: loop, console: console, names: names)
    return CommandContext(sharing: self, options: options, console: console, bus: bus)
  }

  /// The limit of every wait; nil sets no limit.
  package var timeout: Duration? { options.timeout.limit }

  package var logger: Logger { options.logger(on: console) }

  package func remark(_ event: String, of info: PeripheralInfo) {
    remark("\(event): \(info.name ?? "no name") (\(info.address))")
  }

  /// Prints a remark on stderr, unless `-q` was given or a script runs.
  package func remark(_ text: String) {
    if !options.quiet, !isTerse { console.note(TerminalSafe.escaped(text)) }
  }

  /// Shows progress on stderr while `body` runs; see ``TerminalUI/showingProgress(on:_:_:)``.
  package func showingProgress<Result: Sendable>(
    _ text: String, _ body: () async throws -> Result
  ) async throws -> Result {
    try await showingProgress({ text }, body)
  }

  /// Shows progress whose text is requested for each frame; one that is not timed says itself how long it takes.
  package func showingProgress<Result: Sendable>(
    isTimed: Bool = true, _ text: @escaping @Sendable () -> String, _ body: () async throws -> Result
  ) async throws -> Result {
    if options.quiet || options.verbose > 1 { return try await body() }
    return try await terminal.showingProgress(on: console, isTimed: isTimed, text, body)
  }
}
