// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import Charts
internal import TerminalOutput
internal import ValueStreams

struct SubscribeCommand: DeviceCommand, PairingCommand, SubscribingCommand, StreamingCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe", _superCommandName: Blectl.name,
    abstract: "Print notifications and indications.",
    discussion: """
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate
      blectl subscribe Thermometer 2a6e 2a1c --duration 5s --json --simulate
      blectl subscribe 'Th*' 2a6e --all --reconnect --log a.csv --count 2 --simulate
      blectl subscribe Strap:2a37 Thermometer:2a6e --count 4 --simulate
      blectl subscribe 'Heart Strap' 2a37 --count 20 --plot-svg heart.svg --simulate
      blectl subscribe Strap 2a37 --when 'heart_rate_bpm > 60' --count 3 --simulate

      --every and --change leave out values. --when and --absent report what needs attention. /bin/sh runs the command of \
      --exec once per value, or once per report, in order. It gets the JSON record on its standard input, and BLECTL_EVENT, \
      BLECTL_ADDRESS, BLECTL_NAME and more in its environment. BLECTL_NAME comes from the air: quote it.
      """, aliases: ["notify"])

  @OptionGroup var target: TargetOptions
  @Argument(
    help: ArgumentHelp(
      """
      What to subscribe to: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it. For several devices, every \
      argument is a pair DEVICE:CHAR. Values that other programs read are printed too, because BlueZ does not distinguish them.
      """, valueName: "characteristics"),
    completion: LiveCompletion.characteristic, transform: SourceWord.init(parsing:))
  var words: [SourceWord] = []
  @Option(
    name: .customLong("as"), help: LiveCompletion.formatHelp,
    completion: LiveCompletion.format, transform: ValueView.init(parsing:))
  var view: ValueView?
  @Flag(help: "Subscribe to every matching device at once, including those that appear later.")
  var all = false
  @Flag(
    help: """
      With pairs: record nothing until all devices are subscribed to, and then a record 'begun'; --duration begins there.
      """)
  var startTogether = false
  @Flag(
    help:
      "Read each value that can be read, before its notifications; what sends no notifications is only read.")
  var readFirst = false
  @Option(help: StreamHelp.count) var count: Int?
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
  @OptionGroup(title: "Values and alarms") var stages: StageOptions
  @OptionGroup(title: "Values and alarms") var exec: ExecOptions
  @OptionGroup(title: "Outages") var reconnecting: ReconnectOptions
  @OptionGroup(title: "Outages") var recovering: RecoverOptions
  @OptionGroup(title: "Logs") var log: LogOptions
  @OptionGroup(title: "Logs") var homeAssistant: HomeAssistantOption
  @Option(
    name: .customLong("mqtt-control"),
    help: ArgumentHelp(
      """
      With --log mqtt://…, take commands for this characteristic from the broker: TOPIC/ADDRESS/CHAR/set writes, …/get reads, \
      …/result has the answer. May be repeated. See 'blectl help logging'.
      """, valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var controlled: [CharacteristicArgument] = []
  @OptionGroup(title: "Charts") var plotting: PlotOptions
  @OptionGroup(title: "Page") var page: WebOptions
  @OptionGroup(title: "Page") var controlling: WebControlOption
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var webControl: WebControlOption? { controlling }
  var deviceText: String? { sources.count == 1 ? "\(sources[0].device)" : nil }
  var named: [DeviceArgument] { sources.map(\.device) }
  var step: ScriptStep { .subscribe(self) }

  var characteristics: [CharacteristicArgument] {
    get { sources.flatMap(\.characteristics) }
    set { words = newValue.map { .characteristic($0) } }
  }

  /// The devices with their characteristics; empty for words that ``validate()`` refuses.
  private var sources: [WantedSource] {
    (try? [WantedSource](target.device, words)) ?? []
  }

  var scriptProblem: String? {
    if all { return "'--all' needs other devices" }
    if words.contains(where: \.isPair) { return "DEVICE:CHAR needs other devices" }
    if plotting.plot { return "'--plot' needs the whole terminal" }
    if page.web != nil { return "'--web' serves the page of a whole command" }
    if !controlled.isEmpty {
      return "'\(StreamControl.brokerOption)' takes commands while a whole command runs"
    }
    return reconnecting.reconnect ? "'--reconnect' hides a lost link" : nil
  }

  func validate() throws {
    let sources = try checkedSources()
    try stages.require { sources.of($0).fieldNames(shownAs: view) }
    try validatePairing()
    try reconnecting.check()
    if recovering.recover, !reconnecting.reconnect { throw ValidationError("--recover needs --reconnect.") }
    if all, target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
    if startTogether, all {
      throw ValidationError(
        "--start-together and --all cannot be used together: name each device, so that it is known how many there are."
      )
    }
    if startTogether, sources.count < 2 {
      throw ValidationError("--start-together needs several devices: DEVICE:CHAR DEVICE:CHAR.")
    }
    try controlling.validate(page)
    if !controlled.isEmpty { try log.requireBroker(for: StreamControl.brokerOption) }
    try validateOutputs()
  }

  private func checkedSources() throws(ValidationError) -> [WantedSource] {
    do throws(ArgumentError) {
      if let sources = try [WantedSource](target.device, words) { return sources }
    } catch {
      throw ValidationError("\(error)")
    }
    throw ValidationError("Missing expected argument '<characteristics> ...'.")
  }

  func run(in context: CommandContext) async throws {
    let (sources, all) = (sources, all)
    let areSeveral = all || sources.count > 1
    let titles = DeviceTitles()
    let style = ValueStyle(
      isJSON: common.json, view: view, showsTime: true, showsCharacteristic: characteristics.count > 1,
      showsAddress: areSeveral, word: { all ? titles.title(of: $0) : sources.word(for: $0) })
    let recovery = recovering.recovery(in: context)
    let reconnector = reconnecting.policy().map {
      Reconnector(policy: $0, recovery: recovery, context: context)
    }
    let forAll = startTogether ? nil : DeviceChoice.allOption
    let choices = sources.map { DeviceChoice($0.device, pick: target.pick, forAll: forAll) }
    let pairing = PairingOnDemand(pairingAnswers, in: context)
    let expected = ExpectedValues(
      format: view?.format, columns: sources.columns(shownAs: view), devices: named)
    let control =
      controlled.isEmpty && controlling.controls.isEmpty
      ? nil : try StreamControl(controlled, at: log, announces: homeAssistant.isOn, in: context)
    try await collect(
      expected, in: style, waitsForBroker: reconnector != nil, control: control, in: context
    ) { stream in
      recovery?.report(to: { stream.outputs.send(.reception($0)) })
      let start = startTogether ? commonStart(of: sources.count, stream, in: context) : nil
      let values = DeviceStream(
        { info, member in
          if all { return sources.characteristics(of: info) }
          return (sources.first { $0.device == member?.device } ?? sources[0]).characteristics
        }, shownAs: view, via: via, readsFirst: readFirst, left: stream.left, time: stream.time, start: start,
        reconnector: reconnector, outputs: stream.outputs, context: context)
      let group =
        areSeveral
        ? DeviceGroup(
          choices, takesAll: all, stream: values, time: stream.time, start: start, reconnector: reconnector,
          pairing: pairing, context: context)
        : nil
      return StreamSource(
        run: {
          if let group {
            try await group.run()
          } else if let reconnector {
            try await values.run(over: try await reconnector.open(choices[0], pairing: pairing))
          } else {
            try await values.run(
              over: try await DeviceConnection.open(choices[0], in: context, pairing: pairing))
          }
        }, check: { try group?.requireSuccess() })
    }
  }

  /// The moment that all devices are waited for, which is the zero of the time in logs.
  private func commonStart(
    of count: Int, _ stream: StreamTarget, in context: CommandContext
  ) -> CommonStart {
    CommonStart(of: count) { moment in
      stream.outputs.send(.reception(ReceptionRecord(event: .begun, time: moment.time)))
      stream.time?.begin()
      if !common.json { context.remark("all \(count) devices are subscribed to") }
    }
  }
}
