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
    commandName: "subscribe", abstract: "Print notifications and indications.",
    discussion: """
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate
      blectl subscribe Thermometer 2a6e 2a1c --duration 5s --json --simulate
      blectl subscribe 'Th*' 2a6e --all --reconnect --log a.csv --count 2 --simulate
      blectl subscribe 'Heart Strap' 2a37 --count 20 --plot-svg heart.svg --simulate
      blectl subscribe Thermometer 2a6e --every 2s --average --count 2 --simulate
      blectl subscribe Strap 2a37 --when 'heart_rate_bpm > 60' --count 3 --simulate

      --every and --change leave out values. --when and --absent report what needs attention. /bin/sh runs the command of \
      --exec once per value, or once per report, in order. It gets the JSON record on its standard input, and BLECTL_EVENT, \
      BLECTL_ADDRESS, BLECTL_NAME and more in its environment. BLECTL_NAME comes from the air: quote it.
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
  var named: [DeviceArgument] { [target.device] }
  var step: ScriptStep { .subscribe(self) }

  var scriptProblem: String? {
    if all { return "'--all' needs other devices" }
    if plotting.plot { return "'--plot' needs the whole terminal" }
    if page.web != nil { return "'--web' serves the page of a whole command" }
    if !controlled.isEmpty {
      return "'\(StreamControl.brokerOption)' takes commands while a whole command runs"
    }
    return reconnecting.reconnect ? "'--reconnect' hides a lost link" : nil
  }

  func validate() throws {
    try stages.require(characteristics.fieldNames(of: target.device, shownAs: view))
    try validatePairing()
    try reconnecting.check()
    if recovering.recover, !reconnecting.reconnect { throw ValidationError("--recover needs --reconnect.") }
    if all, target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
    try controlling.validate(page)
    if !controlled.isEmpty { try log.requireBroker(for: StreamControl.brokerOption) }
    try validateOutputs()
  }

  func run(in context: CommandContext) async throws {
    let style = ValueStyle(
      isJSON: common.json, view: view, showsTime: true, showsCharacteristic: characteristics.count > 1,
      showsAddress: all)
    let recovery = recovering.recovery(in: context)
    let reconnector = reconnecting.policy().map {
      Reconnector(policy: $0, recovery: recovery, context: context)
    }
    let (choice, pairing) = (target.choice, PairingOnDemand(pairingAnswers, in: context))
    let expected = ExpectedValues(
      format: view?.format, keys: characteristics.decodedKeys(of: target.device, shownAs: view),
      devices: [target.device])
    let control =
      controlled.isEmpty && controlling.controls.isEmpty
      ? nil : try StreamControl(controlled, at: log, announces: homeAssistant.isOn, in: context)
    try await collect(
      expected, in: style, waitsForBroker: reconnector != nil, control: control, in: context
    ) { stream in
      recovery?.report(to: { stream.outputs.send(.reception($0)) })
      let values = DeviceStream(
        characteristics, shownAs: view, via: via, left: stream.left, time: stream.time,
        reconnector: reconnector, outputs: stream.outputs, context: context)
      let group =
        all
        ? DeviceGroup(
          choice.device, stream: values, time: stream.time, reconnector: reconnector, pairing: pairing,
          context: context)
        : nil
      return StreamSource(
        run: {
          if let group {
            try await group.run()
          } else if let reconnector {
            try await values.run(over: try await reconnector.open(choice, pairing: pairing))
          } else {
            try await values.run(over: try await DeviceConnection.open(choice, in: context, pairing: pairing))
          }
        }, check: { try group?.requireSuccess() })
    }
  }
}
