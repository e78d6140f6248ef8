// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct SerialCommand: BlectlCommand, PairingCommand {
  static let configuration = CommandConfiguration(
    commandName: "serial", _superCommandName: Blectl.name,
    abstract: "Use a device as a serial port.",
    discussion: """
      printf '\\360==\\7\\2\\367' | blectl serial Piano --rx ffe3 --tx ffe2 --simulate
      printf '\\360==!\\2\\367' | blectl serial no --rx ffe3 --tx ffe2 --hex --simulate

      On a terminal, keys go to the device, and what it sends is shown, with its control sequences. Ctrl-] ends. In a pipe, \
      standard input goes to the device, and what it sends to standard output. With --pty, --tcp or --unix, the bytes are \
      those of other programs, such as picocom: the device is waited for, and a lost link is opened again.

      The serial services of Nordic (and Adafruit), HM-10, Microchip, u-blox, Silicon Labs, Telit and Laird are found by \
      themselves; --rx and --tx name the characteristics of others, as the device sees them: --rx receives, --tx transmits.
      """)

  @OptionGroup var target: TargetOptions
  @Option(
    help: ArgumentHelp(
      "The characteristic that the device receives on. Default: that of --tx.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var rx: CharacteristicArgument?
  @Option(
    help: ArgumentHelp(
      "The characteristic that the device transmits on. Default: that of --rx.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var tx: CharacteristicArgument?
  @OptionGroup(title: "L2CAP channel") var channel: ChannelOptions
  @OptionGroup(title: "For other programs") var place: SerialPlaceOptions
  @OptionGroup(title: "Console") var console: SerialConsoleOptions
  @OptionGroup(title: "Serial service") var format: SerialFormatOptions
  @Flag(
    name: .customLong("with-response"),
    help:
      "Let the device confirm each packet before the next: slower, but of a lost link at most one is uncertain."
  )
  var withResponse = false
  @Option(
    help: ArgumentHelp(
      """
      signal or socket; socket is exclusive, so that other subscribers do no harm, but dangerous before BlueZ 5.84.
      """, valueName: "transport"),
    completion: .list(NotificationTransport.allWords),
    transform: { try NotificationTransport(word: $0, of: "transport") })
  var via = NotificationTransport.signal
  @Option(
    help: ArgumentHelp(
      """
      In a pipe: how long to go on after the end of the input until nothing more is received; 0 goes on. (default: 1s)
      """, valueName: "duration"), transform: DurationArgument.init(parsing:))
  var linger: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "How many bytes may wait in each direction, for a link or for a reader. (default: 1M)",
      valueName: "size"),
    transform: SizeArgument.init(parsing:))
  var buffer = SizeArgument(1 << 20)
  @Flag(
    help:
      "With --pty, --tcp or --unix: drop what is written without a link, and say so, instead of keeping it.")
  var drop = false
  @Flag(
    help: """
      With --pty, --tcp 0 or --unix: every device that matches, each at a port of its own, also those that come later. The \
      name of a link, a socket or a log gets the address of the device: LINK-ADDRESS.
      """)
  var all = false
  @OptionGroup(title: "Outages") var reconnecting: ReconnectOptions
  @Flag(name: .customLong("no-reconnect"), help: "With --pty, --tcp or --unix: end when the link is lost.")
  var noReconnect = false
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var deviceText: String? { target.device.description }

  func validate() throws {
    try validatePairing()
    let forPlace = [
      drop ? "--drop" : nil, noReconnect ? "--no-reconnect" : nil, common.json ? "--json" : nil,
    ]
    if channel.psm != nil, rx != nil || tx != nil || withResponse {
      throw ValidationError("--psm cannot be used with --rx, --tx or --with-response.")
    }
    if all {
      if !place.isGiven { throw ValidationError("--all needs --pty, --tcp 0 or --unix.") }
      if target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
      if case .tcp(_, let port)? = place.tcp, port != 0 {
        throw ValidationError("--all needs --tcp 0: each device has a port of its own.")
      }
    }
    if !place.isGiven, let option = forPlace.compactMap(\.self).first {
      throw ValidationError("\(option) needs --pty, --tcp or --unix.")
    }
    try reconnecting.check(isImplied: place.isGiven && !noReconnect)
    if noReconnect, reconnecting.reconnect {
      throw ValidationError("--no-reconnect and --reconnect cannot be used together.")
    }
    if place.isGiven {
      if let option = console.given.first { throw ValidationError("\(option) is for a terminal.") }
      if linger != nil { throw ValidationError("--linger is for a pipe.") }
      if format.hex || format.timestamps, format.log == nil {
        throw ValidationError("--hex and --timestamps need --log here: programs get the bytes as they are.")
      }
    }
    if buffer.bytes < 1024 { throw ValidationError("--buffer must be at least 1K.") }
  }

  func run(in context: CommandContext) async throws {
    let isConsole = !place.isGiven && ConsolePort.isPossible
    if !isConsole, let option = console.given.first {
      throw CommandError.usage("cannot use \(option): standard input or output is not a terminal")
    }
    if all { return try await runAll(in: context) }
    let log = try format.openLog(in: context)
    let shown = format.format(into: log, forProgram: place.isGiven, isOnTerminal: isConsole)
    try await run(isConsole: isConsole, showing: shown, in: context)
    if let failure = log?.failure { throw failure }
  }

  private func run(
    isConsole: Bool, showing shown: @escaping @Sendable ([UInt8]) -> [UInt8], in context: CommandContext
  ) async throws {
    if isConsole { return try await runConsole(showing: shown, in: context) }
    guard place.isGiven else {
      let cursor = TerminalCursor.ofOutput
      let toPerson = cursor.map { context.beginningLines(at: $0, returning: false) } ?? context
      return try await session(
        to: PipePort(following: cursor, on: context.loop), quiet: linger.map(\.limit) ?? .seconds(1),
        showing: shown, toPerson
      ).run { _, _ in }
    }
    let outputs = StreamOutputs.ofRecords(in: context)
    try await outputs.collect { [self] in
      let port = try await place.open(limit: buffer.bytes, in: context, reportingTo: outputs)
      try await session(to: port, quiet: nil, showing: shown, reportingTo: outputs, context).run { _, _ in }
    }
  }

  /// Serves the ports of all devices that match, until a signal ends it or each has failed for good.
  private func runAll(in context: CommandContext) async throws {
    let outputs = StreamOutputs.ofRecords(in: context)
    let policy = reconnecting.policy(isImplied: !noReconnect)
    let group = DeviceGroup(
      [target.choice], takesAll: true, reconnector: policy.map { Reconnector(policy: $0, context: context) },
      pairing: PairingOnDemand(pairingAnswers, in: context), context: context,
      until: { await Promise<Void>().value(ifCancelled: ()) }
    ) { link, progress in
      let log = try format.openLog(for: link.info, in: context)
      let port = try await place.open(
        limit: buffer.bytes, for: link.info, in: context, reportingTo: outputs)
      let shown = format.format(into: log, forProgram: true, isOnTerminal: false)
      try await session(
        to: port, quiet: nil, showing: shown, reportingTo: outputs, named: "\(link.info.lastingAddress)",
        context
      ).run(over: link, progress)
      if let failure = log?.failure { throw failure }
    }
    try await outputs.collect { try await group.run() }
    try group.requireSuccess()
  }

  private func runConsole(
    showing shown: @escaping @Sendable ([UInt8]) -> [UInt8], in context: CommandContext
  ) async throws {
    let translates = console.crlf || format.hex || console.line
    let cursor = TerminalCursor()
    let port = ConsolePort(
      console.keys, translatesOutput: translates, following: cursor, on: context.loop)
    let toPerson = context.beginningLines(at: cursor, returning: !translates)
    try await session(to: port, quiet: .zero, showing: shown, toPerson).run { info, name in
      toPerson.remark("\(info.name ?? "no name") (\(info.address)), \(name): \(port.ending) ends")
    }
  }

  private func session(
    to port: any SerialPort, quiet: Duration?, showing shown: @escaping @Sendable ([UInt8]) -> [UInt8],
    reportingTo outputs: StreamOutputs? = nil, named name: String? = nil, _ context: CommandContext
  ) -> SerialSession {
    var options = SerialSession.Options()
    (options.choice, options.psm) = (SerialChoice(rx: rx, tx: tx), channel.psm)
    (options.isConfirmed, options.limit, options.drops) = (withResponse, buffer.bytes, drop)
    options.transport = via
    options.quiet = quiet
    // Other programs, and people, wait as long as they like.
    options.patience = place.isGiven || ConsolePort.isPossible ? nil : context.timeout
    let policy = reconnecting.policy(isImplied: place.isGiven && !noReconnect)
    return SerialSession(
      target.choice, options, named: name, to: port,
      reconnector: policy.map { Reconnector(policy: $0, context: context) },
      pairing: PairingOnDemand(pairingAnswers, in: context), format: shown, reportingTo: outputs, in: context)
  }
}

extension CommandContext {
  /// Begins each message on a line of its own, behind what a device has written; `returning` also returns to the first
  /// column, where the terminal does not do that by itself.
  fileprivate func beginningLines(at cursor: TerminalCursor, returning: Bool) -> CommandContext {
    let plain = console
    let notes = plain.redirected { note in
      if note.isEmpty { return plain.draw(note) }
      let lines = cursor.lineEnd() + note
      plain.draw(returning ? lines.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] } : lines)
    }
    return line(options, over: nil, console: notes)
  }
}
