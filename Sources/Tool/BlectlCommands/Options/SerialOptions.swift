// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// The options for the place where programs find a serial port.
struct SerialPlaceOptions: ParsableArguments {
  @Flag(
    help: """
      Open a pseudo-terminal, and print its name. --pty=LINK, or --pty and a path, also creates a symbolic link to it.
      """)
  var pty = false

  /// The value of `--pty=`; ``OptionalValue`` puts it here.
  @Option(name: .customLong("pty-link"), help: .hidden)
  var link: String?

  @Option(
    help: ArgumentHelp(
      "Listen for a program on a TCP port, of this machine only unless HOST says otherwise; 0 takes a free one.",
      valueName: "[host:]port"), transform: ServerAddress.init(parsingTCP:))
  var tcp: ServerAddress?

  @Option(
    help: ArgumentHelp("Listen for a program on a new Unix socket at this path.", valueName: "path"),
    completion: .file())
  var unix: String?

  @Flag(help: "Accept several programs: all get the same bytes.")
  var share = false

  func validate() throws {
    let places = [pty ? "--pty" : nil, tcp.map { _ in "--tcp" }, unix.map { _ in "--unix" }].compactMap(
      \.self)
    if places.count > 1 { throw ValidationError("\(places[0]) and \(places[1]) cannot be used together.") }
    if share, tcp == nil, unix == nil { throw ValidationError("--share needs --tcp or --unix.") }
  }

  /// True if programs find it anywhere.
  var isGiven: Bool { pty || tcp != nil || unix != nil }

  /// Opens the place that is given, and says where it is; `limit` is how many bytes may wait in each direction.
  ///
  /// The port of one of several devices has the address of its `member` in its name.
  func open(
    limit: Int, for member: PeripheralInfo? = nil, in context: CommandContext,
    reportingTo outputs: StreamOutputs
  ) async throws -> any SerialPort {
    func say(_ kind: ListeningRecord.Kind, _ place: String) {
      let device = member.map { "\($0.lastingAddress)  \($0.name ?? "no name")  " } ?? ""
      let line = context.options.json ? nil : Array("\(TerminalSafe.escaped(device + place))\n".utf8)
      outputs.report(
        LoggedRecord(ListeningRecord(kind, at: place, of: member), about: .everything), as: line)
    }
    guard let address = tcp ?? unix.map({ .unix(member.place($0)) }) else {
      let link = link.map { member.place($0) }
      let port = try PseudoTerminal(link: link, on: context.loop)
      say(.pty, link ?? port.path)
      return port
    }
    let prefix = member.map { "\($0.lastingAddress): " } ?? ""
    let port = try ServerPort(address, isShared: share, limit: limit, on: context.loop) {
      [console = context.console] in console.warn(prefix + $0)
    }
    say(unix == nil ? .tcp : .unix, port.place)
    return port
  }
}

/// The options for a person's use of a serial port on the terminal.
struct SerialConsoleOptions: ParsableArguments {
  @Flag(help: "On a terminal: edit each line, and send it with Return. Ctrl-D ends.")
  var line = false

  @Flag(help: "On a terminal: end lines with CR LF, also those that end with LF when they come.")
  var crlf = false

  @Flag(help: "On a terminal: show what is typed; most devices do that themselves.")
  var echo = false

  @Option(
    help: ArgumentHelp(
      "On a terminal: the key that ends, such as ^a, or none. (default: ^])", valueName: "key"),
    transform: ConsoleKeys.Escape.init(parsing:))
  var escape: ConsoleKeys.Escape?

  func validate() throws {
    if line, echo || escape != nil {
      throw ValidationError("--line cannot be used with \(echo ? "--echo" : "--escape").")
    }
  }

  /// The options that need a terminal.
  var given: [String] {
    [line ? "--line" : nil, crlf ? "--crlf" : nil, echo ? "--echo" : nil, escape.map { _ in "--escape" }]
      .compactMap(\.self)
  }

  var keys: ConsoleKeys {
    var keys = ConsoleKeys()
    (keys.sendsLines, keys.endsWithBoth, keys.echoes) = (line, crlf, echo)
    if let escape { keys.escape = escape }
    return keys
  }
}

/// The options for the display and the storage of received bytes.
struct SerialFormatOptions: ParsableArguments {
  @Flag(help: "Show what is received as hexadecimal digits, a packet after the other.")
  var hex = false

  @Flag(help: "Write the time before each received line.")
  var timestamps = false

  @Option(
    help: ArgumentHelp("Also append what is received to a file, as it is shown.", valueName: "file"),
    completion: .file())
  var log: String?

  /// Opens the file of `--log`; that of one of several devices has the address of its `member` in its name.
  func openLog(
    for member: PeripheralInfo? = nil, in context: CommandContext
  ) throws(CommandError) -> SerialLog? {
    guard let log = log.map({ member.place($0) }) else { return nil }
    return try SerialLog(log, beginsLine: hex || timestamps, report: context.console.warn)
  }

  /// Makes what is shown of a packet, and stores it in a file; a program gets the packet itself.
  func format(
    into file: SerialLog?, forProgram: Bool, isOnTerminal: Bool
  ) -> @Sendable ([UInt8]) -> [UInt8] {
    let now: @Sendable () -> String = { isOnTerminal ? Timestamp.now.local : Timestamp.now.utc }
    let format = PacketFormat(isHex: hex, time: timestamps ? now : nil)
    return { packet in
      let text = format.text(of: packet)
      file?.write(text)
      return forProgram ? packet : text
    }
  }
}

extension PeripheralInfo? {
  /// The path of what one of several devices has: `PATH-C0:00:00:00:00:01`.
  fileprivate func place(_ path: String) -> String { map { "\(path)-\($0.lastingAddress)" } ?? path }
}
