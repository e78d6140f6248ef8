// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import WebServer

/// The page of a stream.
struct WebOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Serve a page with what is heard, and the records, values and metrics, on a port of this machine, or on HOST:PORT; 0 \
      takes a free port. See 'blectl help page'.
      """, valueName: "[host:]port"), transform: ServerAddress.init(parsingTCP:))
  var web: ServerAddress?

  @Option(
    name: .customLong("web-token"),
    help: ArgumentHelp(
      "With --web, only for those who know the first line of this file; only you may read the file.",
      valueName: "file"), completion: .file())
  var token: String?

  @Flag(name: .customLong("web-open"), help: "With --web HOST:PORT, for everybody who can reach it.")
  var isOpen = false

  @Option(
    name: .customLong("web-name"),
    help: ArgumentHelp(
      "With --web, another name of the page, such as that of a proxy; may be repeated.", valueName: "name"))
  var names: [String] = []

  @Option(
    name: .customLong("web-base"),
    help: ArgumentHelp(
      "With --web, the path under which a proxy shows the page, such as /ble.", valueName: "path"))
  var base: String?

  @Option(
    help: ArgumentHelp(
      """
      With --web, how long values are kept for charts; 0 is until the end. With --log FILE.sqlite, those of before are \
      there, too. (default: 24h)
      """,
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var history: DurationArgument?

  func validate() throws {
    if token != nil, isOpen { throw ValidationError("--web-token and --web-open cannot be used together.") }
    if let base, !Self.isBase(base) {
      throw ValidationError(
        "--web-base is a path such as /ble: letters, digits, '-', '_', '.' and '~' behind each '/'.")
    }
    if let base, let path = PageSetup.path(hiddenBy: base) {
      throw ValidationError(
        "--web-base \(base) would hide \(path) of the page; use another path, such as /ble.")
    }
    if let name = names.first(where: { $0.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?/) == nil })
    {
      throw ValidationError(
        "--web-name is the name of a host, without a port: not '\(TerminalSafe.escaped(name))'.")
    }
    guard web == nil else { return }
    let others: KeyValuePairs = [
      "--web-token": token != nil, "--web-open": isOpen, "--web-name": !names.isEmpty,
      "--web-base": base != nil, "--history": history != nil,
    ]
    if let other = others.first(where: \.value)?.key { throw ValidationError("\(other) needs --web.") }
  }

  private static func isBase(_ text: String) -> Bool {
    text.wholeMatch(of: /(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/) != nil
  }

  /// Starts the page, which may use links as `access` says, and begins with what a database of `logs` has; nil without one.
  ///
  /// It shows the limits of `conditions`, those of alarms. Without `hears`, the command has nothing to hear, and is well meanwhile.
  func open(
    for command: String, hears: Bool = true, beside logs: LogOptions, conditions: [String] = [],
    control access: ControlAccess? = nil, in context: CommandContext
  ) throws -> WebOutput? {
    guard let web else { return nil }
    if access != nil, token == nil {
      throw CommandError.usage(
        "cannot let the page write without a token: each program of this machine could",
        hint: "add --web-token FILE")
    }
    let address = try WebAddress(web, names: names)
    if token == nil, !isOpen, !address.isLoopback {
      throw CommandError.usage(
        "cannot serve the page on \(address.host): others could read it",
        hint: "add --web-token FILE, or --web-open if everybody may")
    }
    var setup = PageSetup(host: address.host, port: address.port)
    setup.token = try token.map { path throws(CommandError) in try WebSecret.token(in: path) }
    let kept = history ?? DurationArgument(.seconds(86_400))
    setup.history = kept.limit.map { Double($0.components.seconds) }
    (setup.command, setup.version, setup.conditions) = (command, ReleaseVersion.number, conditions)
    (setup.base, setup.hears) = (base ?? "", hears)
    let past = logs.database.map { WebHistory(log: $0, length: setup.history) }
    return try WebOutput.open(address, setup, past: past, control: access, in: context)
  }
}

/// The characteristics that the page of a command with links may write to.
struct WebControlOption: ParsableArguments {
  private static let name = "web-control"

  @Option(
    name: .customLong(name),
    help: ArgumentHelp(
      "With --web, the page may write to this characteristic; may be repeated.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var controls: [CharacteristicArgument] = []

  func validate(_ page: WebOptions) throws {
    if !controls.isEmpty, page.web == nil { throw ValidationError("--\(Self.name) needs --web.") }
  }

  /// The access of the page to the links of `remote`; nil without any.
  func access(to remote: RemoteControl?) -> ControlAccess? {
    controls.isEmpty ? nil : remote.map { ControlAccess("--\(Self.name)", controls, to: $0) }
  }
}
