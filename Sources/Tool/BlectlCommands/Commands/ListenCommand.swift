// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ListenCommand: StreamingCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", _superCommandName: Blectl.name,
    abstract: "Show the values that devices advertise.",
    discussion: """
      blectl listen --count 3 --simulate
      blectl listen --type bthome --count 1 --json --simulate
      blectl listen --every 1s --average --absent 10m --count 2 --simulate
      blectl listen Garden Attic --missing --duration 2s --simulate

      It needs no connection. On a terminal, a table has a row for each device; elsewhere, and with --lines, a value is \
      printed when it changes, or when the device has counted a new packet; devices repeat each packet many times. It waits \
      for the bus, bluetoothd, the adapter and a broker, at the start and later.

      Keys on a terminal: q ends, the arrows or j and k select, Enter shows all values of the selected device, Esc goes \
      back, / filters by name (Enter accepts, Esc drops), p pauses.
      """)

  @Argument(
    help: "The devices: addresses, names, patterns such as 'Sensor*', or parts of names. Default: all.",
    completion: LiveCompletion.device, transform: DeviceArgument.init(parsing:))
  var devices: [DeviceArgument] = []
  @Option(
    help: ArgumentHelp(
      "Only data of this type: bthome, ruuvi, or one of a profile; may be repeated.", valueName: "type"),
    completion: LiveCompletion.advertisedType, transform: AdvertisedTypeArgument.init(parsing:))
  var type: [AdvertisedTypeArgument] = []
  @OptionGroup(title: "Which devices") var wanted: AdvertiserOptions
  @Flag(help: "Print every packet, also those that repeat the values and the counter.")
  var all = false
  @Flag(help: "Print a line for each change also on a terminal, instead of the table.")
  var lines = false
  @Flag(help: ScanHelp.passive) var passive = false
  @Flag(
    help: """
      Print which of the devices were not heard, or of those in your profiles; it ends when all were heard, or after \
      --duration (default: 1m).
      """)
  var missing = false
  @Option(help: StreamHelp.count) var count: Int?
  @Option(
    help: ArgumentHelp("End this long after listening starts; 0 is no limit.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @OptionGroup(title: "Values and alarms") var stages: StageOptions
  @OptionGroup(title: "Values and alarms") var exec: ExecOptions
  @OptionGroup(title: "Outages") var recovering: RecoverOptions
  @OptionGroup(title: "Logs") var log: LogOptions
  @OptionGroup(title: "Logs") var homeAssistant: HomeAssistantOption
  @OptionGroup(title: "Charts") var plotting: PlotOptions
  @OptionGroup(title: "Page") var page: WebOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  var named: [DeviceArgument] { devices }

  func validate() throws {
    let names = FieldNames(advertised: Set(type.map(\.type)))
    try stages.require { _ in names }
    try validateOutputs()
    if lines, plotting.plot { throw ValidationError("--lines and --plot cannot be used together.") }
    guard missing else { return }
    let others: KeyValuePairs = [
      "--count": count != nil, "--log": !log.logs.isEmpty, "--plot": plotting.plot,
      "--plot-svg": plotting.svg != nil, "--exec": exec.command != nil, "--all": all,
      "--web": page.web != nil, "--every": stages.every != nil, "--change": !stages.change.isEmpty,
      "--when": !stages.when.isEmpty,
      "--absent": stages.absent != nil,
    ]
    if let other = others.first(where: \.value)?.key {
      throw ValidationError("--missing and \(other) cannot be used together.")
    }
    if expected.isEmpty { throw ValidationError("--missing needs devices, or a profile with devices.") }
  }

  /// The devices that should be there: those of profiles, if none is named.
  private var expected: [DeviceArgument] {
    devices.isEmpty ? Vocabulary.known.profiles.devices.map { DeviceArgument($0) } : devices
  }

  /// True if a certain device is wanted; with --absent, its absence is a record.
  private var mustHear: Bool { devices.count == 1 && !devices[0].isPattern && stages.absent == nil }

  func liveView(in context: CommandContext) -> ((LiveKeys?) -> any OutputSink)? {
    guard LiveView.isPossible(on: context.console), !lines, !missing, !common.json else { return nil }
    let devices = stages.absent == nil ? devices : expected
    return { ListenTable(expecting: devices, on: context.console, keys: $0) }
  }

  func run(in context: CommandContext) async throws {
    let style = ValueStyle(
      isJSON: common.json, showsTime: true, showsCharacteristic: true, showsAddress: true)
    let selection = AdvertisedSelection(
      types: Set(type.map(\.type)), senders: wanted.senders, takesRepeats: all)
    let reception = Reception(
      wanted.filter, mode: passive ? .passive : .active, reportsDuplicates: true,
      reconnector: Reconnector(policy: ReconnectPolicy(), context: context),
      recovery: recovering.recovery(in: context), context: context)
    if context.console.errors.isTerminal && liveView(in: context) == nil || common.verbose > 0 {
      context.remark("listening; press Ctrl-C to stop")
    }
    try await ScanHelp.explainingPassive(passive) {
      if missing { return try await printMissing(over: reception, in: context) }
      let expected = ExpectedValues(devices: stages.absent == nil ? [] : expected, areAdvertised: true)
      try await collect(expected, in: style, waitsForBroker: true, in: context) { stream in
        let values = AdvertisedStream(
          devices, mustHear: mustHear, selection, over: reception, left: stream.left, time: stream.time,
          outputs: stream.outputs, context: context)
        return StreamSource(run: { try await values.run() }, check: { try values.requireHeard() })
      }
    }
  }

  private func printMissing(over reception: Reception, in context: CommandContext) async throws {
    let limit = duration ?? DurationArgument(.seconds(60))
    let absent = try await MissingDevices(of: expected, over: reception, context: context)
      .find(within: limit.limit)
    let lines = NoticeLines(isTerminal: context.console.output.isTerminal)
    for record in absent {
      if common.json {
        try context.console.write(record)
      } else if let line = lines.line(.absence(record)) {
        try context.console.write(bytes: Array(line.utf8))
      }
    }
  }
}
