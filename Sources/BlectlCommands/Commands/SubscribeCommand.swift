// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import Charts
internal import TerminalOutput
internal import ValueStreams

struct SubscribeCommand: DeviceCommand, SubscribingCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe", abstract: "Print notifications and indications.",
    discussion: """
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate
      blectl subscribe Thermometer 2a6e 2a1c --duration 5s --json --simulate
      blectl subscribe 'Th*' 2a6e --all --reconnect --log a.csv --count 2 --simulate
      blectl subscribe 'Heart Strap' 2a37 --count 20 --plot-svg heart.svg --simulate
      """, aliases: ["notify"])

  @OptionGroup var target: TargetOptions
  @Argument(
    help: """
      What to subscribe to: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it. Values that other \
      programs read from it are printed too, because BlueZ does not distinguish them.
      """,
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument]
  @Option(
    name: .customLong("as"), help: LiveCompletion.formatHelp,
    completion: LiveCompletion.format, transform: ValueView.init(parsing:))
  var view: ValueView?
  @Flag(help: "Subscribe to every matching device at once, including those that appear later.")
  var all = false
  @Option(help: ArgumentHelp("End after this many values.", valueName: "n"))
  var count: Int?
  @Option(
    help: ArgumentHelp("End this long after the subscription starts.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "signal or socket; socket is faster, but exclusive, and dangerous before BlueZ 5.84.",
      valueName: "transport"),
    completion: .list(NotificationTransport.allWords),
    transform: { try NotificationTransport(word: $0, of: "transport") })
  var via = NotificationTransport.signal
  @OptionGroup var reconnecting: ReconnectOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var homeAssistant: HomeAssistantOption
  @OptionGroup var plotting: PlotOptions
  @Flag(help: PairFlag.help) var pair = false
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var step: ScriptStep { .subscribe(self) }

  var scriptProblem: String? {
    if all { return "'--all' needs other devices" }
    if plotting.plot { return "'--plot' needs the whole terminal" }
    return reconnecting.reconnect ? "'--reconnect' hides a lost link" : nil
  }

  func validate() throws {
    if all, target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
    if plotting.plot, common.json {
      throw ValidationError("--plot and --json cannot be used together; use --plot with --log FILE.ndjson.")
    }
    try homeAssistant.validate(log)
    try log.requireOutput(unless: ["--plot": plotting.plot, "--json": common.json])
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run(in context: CommandContext) async throws {
    let style = ValueStyle(
      isJSON: common.json, view: view, showsTime: true, showsCharacteristic: characteristics.count > 1,
      showsAddress: all)
    let keys = plotting.plot && Keyboard.isPossible ? PlotKeys() : nil
    let sinks =
      try await plotting.sinks(log.takesOutput ? nil : style, keys: keys, format: view?.format, in: context)
      + log.sinks(
        decodedKeys: decodedKeys, announcesSensors: homeAssistant.isOn,
        waitsForBroker: reconnecting.reconnect,
        in: context)
    let outputs = StreamOutputs(sinks, buffer: log.buffer, context: context)
    let reconnector = reconnecting.policy.map { Reconnector(policy: $0, context: context) }
    let time = duration?.limit.map { CollectingTime($0, on: context.loop) }
    let stream = DeviceStream(
      characteristics, shownAs: view, via: via, left: RemainingValues(from: count), time: time,
      reconnector: reconnector,
      outputs: outputs, context: context)
    let (target, pairing) = (target.choice, PairingOnDemand(if: pair, in: context))
    let group =
      all
      ? DeviceGroup(
        target.device, stream: stream, time: time, reconnector: reconnector, pairing: pairing,
        context: context)
      : nil
    try await outputs.collect {
      try await SubscribeCommand.limited(by: time) {
        try await outputs.takeKeys(for: keys) {
          if let group {
            try await group.run()
          } else if let reconnector {
            try await stream.run(over: try await reconnector.open(target, pairing: pairing))
          } else {
            try await stream.run(over: try await DeviceConnection.open(target, in: context, pairing: pairing))
          }
        }
      }
      try group?.requireSuccess()
    }
  }

  /// The keys of the values that come, as far as they are known before a link is open.
  private var decodedKeys: [String] {
    characteristics.flatMap { characteristic in
      let known = characteristic.identity(of: target.device.identity).flatMap { ValueMeaning(of: $0) }
      return (view.map { $0.meaning(insteadOf: known) } ?? known)?.keys ?? []
    }
  }

  private static func limited(
    by time: CollectingTime?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    if let time { try await time.limit(body) } else { try await body() }
  }
}
