// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import DBus

struct SubscribeCommand: BlectlCommand {
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
      What to subscribe to: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it. What another program \
      reads from it shows up as a value too: BlueZ cannot distinguish them.
      """,
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument]
  @Option(
    name: .customLong("as"), help: ArgumentHelp("How to show values: hex, utf8, u16, …", valueName: "format"),
    completion: LiveCompletion.format, transform: ValueFormat.init(typed:))
  var format: ValueFormat?
  @Flag(help: "Every device that matches, at once, and also those that come later.")
  var all = false
  @Option(help: ArgumentHelp("End after this many values.", valueName: "n"))
  var count: Int?
  @Option(
    help: ArgumentHelp("End this long after the subscription began.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "signal, or socket: faster, but exclusive, and dangerous before BlueZ 5.84.", valueName: "path"),
    completion: .list(NotificationTransport.allCases.map(\.rawValue)),
    transform: SubscribeCommand.path(parsing:))
  var via = NotificationTransport.signal
  @OptionGroup var reconnecting: ReconnectOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var plotting: PlotOptions
  @OptionGroup var common: CommonOptions
  var deviceText: String? { target.device.description }

  private static func path(parsing text: String) throws -> NotificationTransport {
    guard let path = NotificationTransport(rawValue: text) else {
      throw ArgumentError(text, "is not a way; the ways are signal and socket")
    }
    return path
  }

  func validate() throws {
    if characteristics.isEmpty { throw ValidationError("Say which characteristic to subscribe to.") }
    if all, target.pick != nil { throw ValidationError("--pick takes one device, --all takes them all.") }
    if plotting.plot, common.json {
      throw ValidationError(
        "--plot fills the terminal that --json writes to; --log FILE.ndjson goes with it.")
    }
    if let count, count < 1 { throw ValidationError("--count begins at 1.") }
  }

  func run(in session: Session) async throws {
    let style = ValueStyle(
      isJSON: common.json, format: format, showsTime: true, showsCharacteristic: characteristics.count > 1,
      showsAddress: all)
    let sinks = try plotting.sinks(style, in: session) + log.sinks(for: characteristics, in: session)
    let outputs = StreamOutputs(sinks, buffer: log.buffer, session: session)
    let keeper = reconnecting.keeper(in: session)
    let time = duration?.limit.map { CollectingTime($0, on: session.loop) }
    let stream = DeviceStream(
      characteristics, via: via, left: RemainingValues(from: count), time: time, keeper: keeper,
      outputs: outputs,
      session: session)
    let group =
      all ? DeviceGroup(target.device, stream: stream, time: time, keeper: keeper, session: session) : nil
    let target = target
    try await outputs.collect {
      try await SubscribeCommand.limited(by: time) {
        if let group {
          try await group.run()
        } else if let keeper {
          try await stream.run(over: try await keeper.open(target))
        } else {
          try await stream.run(over: try await Link.open(target, in: session))
        }
      }
      try group?.requireSuccess()
    }
  }

  private static func limited(
    by time: CollectingTime?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    if let time { try await time.limit(body) } else { try await body() }
  }
}
