// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import ValueLogs
internal import ValueStreams

/// The logs of a stream, and the size of their buffers.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log"),
    help: ArgumentHelp(
      """
      Also append to a log: a .ndjson, .csv or .sqlite file, influx:FILE (influx:- is stdout), or a broker, \
      mqtt://[USER@]HOST[:PORT]/TOPIC, whose password is in BLECTL_MQTT_PASSWORD. scan and monitor accept only .ndjson files \
      and brokers. May be repeated.
      """,
      valueName: "file|url"), completion: .file(), transform: LogArgument.init(parsing:))
  var logs: [LogArgument] = []

  @Option(
    name: .customLong("log-rotate"),
    help: ArgumentHelp(
      "Rename a log to a name with the time when it reaches this size or age: 100M, 24h.",
      valueName: "size|duration"), transform: LogRotation.init(parsing:))
  var rotation: LogRotation?

  @Option(
    help: ArgumentHelp(
      "Memory to buffer for the output and for each log; more is dropped and counted. (default: 16M)",
      valueName: "size"), transform: SizeArgument.init(parsing:))
  var buffer = LogOptions.defaultBuffer

  static let defaultBuffer = SizeArgument(16 << 20)

  func validate() throws {
    if rotation != nil, !logs.contains(where: \.isFile) {
      throw ValidationError("--log-rotate needs --log with a file.")
    }
    try logs.requireDistinctBrokers()
    if buffer.bytes < 1024 { throw ValidationError("--buffer must be at least 1K.") }
  }

  /// True if a log is printed instead of the usual output.
  var takesOutput: Bool { logs.takeOutput }

  /// Checks that a printed log is the only output; `options` also print, if they were given.
  func requireOutput(unless options: KeyValuePairs<String, Bool>) throws {
    try logs.requireOutput(unless: options)
  }

  /// The path of the first database.
  var database: String? { logs.first { $0.kind == .sqlite }?.path }

  /// The logs at brokers.
  var brokers: [(log: LogArgument, address: BrokerAddress)] {
    logs.compactMap { log in if case .broker(let address) = log.kind { (log, address) } else { nil } }
  }

  /// Checks that an option has a broker.
  func requireBroker(for option: String) throws(ValidationError) {
    if brokers.isEmpty { throw ValidationError("\(option) needs --log mqtt://HOST/TOPIC.") }
  }

  /// Checks the logs of a command whose records are not only values and links.
  func requireRoomForAllRecords() throws {
    guard let log = logs.first(where: { !$0.kind.takesAllRecords }) else { return }
    throw ValidationError("--log: '\(log.path)' can store only values; use .ndjson or mqtt://HOST/TOPIC.")
  }
}

extension [LogArgument] {
  /// True if one of them is printed instead of the usual output.
  var takeOutput: Bool { contains(where: \.isOutput) }

  /// Checks that no record would be published twice: a file is locked against that, a topic is not.
  func requireDistinctBrokers() throws(ValidationError) {
    var places: Set<[String]> = []
    for log in self {
      guard case .broker(let address) = log.kind else { continue }
      let place = [address.host.lowercased(), "\(address.port)", address.topic]
      if !places.insert(place).inserted {
        throw ValidationError("--log \(log.path) is given twice: the broker and the topic are the same.")
      }
    }
  }

  /// Checks that a printed log is the only output; `options` also print, if they were given.
  func requireOutput(unless options: KeyValuePairs<String, Bool>) throws {
    if filter(\.isOutput).count > 1 { throw ValidationError("--log influx:- can be given only once.") }
    guard takeOutput, let option = options.first(where: \.value)?.key else { return }
    throw ValidationError("--log influx:- and \(option) cannot be used together.")
  }
}

/// The option that announces the log to Home Assistant.
struct HomeAssistantOption: ParsableArguments {
  @Flag(
    name: .customLong("home-assistant"),
    help: """
      With --log mqtt://…, announce devices to Home Assistant, by its MQTT discovery: those that are named here, by a key, a \
      profile or an alias, and those that have been heard for a minute; what devices advertise only with listen.
      """)
  var isOn = false

  @Option(
    name: .customLong("home-assistant-limit"),
    help: ArgumentHelp("Announce at most this many devices. (default: 100)", valueName: "n"))
  var limit: Int?

  @Flag(
    name: .customLong("home-assistant-clean"),
    help: """
      Remove from Home Assistant what was announced under this topic before, and is not announced again within two minutes.
      """)
  var cleans = false

  /// - Throws: that there is no broker for the announcements.
  func validate(_ logs: LogOptions) throws {
    if isOn { return try checkLimit(logs) }
    let others: KeyValuePairs = [
      "--home-assistant-limit": limit != nil, "--home-assistant-clean": cleans,
    ]
    if let other = others.first(where: \.value)?.key {
      throw ValidationError("\(other) needs --home-assistant.")
    }
  }

  private func checkLimit(_ logs: LogOptions) throws {
    try logs.requireBroker(for: "--home-assistant")
    if let limit, limit < 1 { throw ValidationError("--home-assistant-limit must be at least 1.") }
  }

  /// The choice of what is announced to Home Assistant, by a user who names `devices`; nil if nothing is.
  func settings(naming devices: [DeviceArgument], _ stages: StageOptions? = nil) -> HomeAssistantSettings? {
    guard isOn else { return nil }
    let sightings = DeviceSightings { device in
      // A name may be that of many devices that change their addresses.
      if device.isPrivate { return devices.contains(.address(device.address)) }
      return devices.contains { $0.rank(of: device) != nil }
        || Vocabulary.known.profiles.devices.contains { DeviceArgument($0).rank(of: device) != nil }
    }
    var settings = HomeAssistantSettings(version: ReleaseVersion.number, sightings: sightings)
    settings.alarms = (stages?.when ?? []).map { alarm in
      let selection = Lock(HeardSelection(alarm.device))
      return HomeAssistantSettings.Alarm(alarm.text, names: alarm.condition.names) { device in
        selection.withLock { $0.match(device) != .other }
      }
    }
    settings.watchesAbsence = stages?.absent != nil
    settings.limit = limit ?? HomeAssistantSettings.defaultLimit
    settings.cleans = cleans
    return settings
  }
}

/// The charts of a stream.
struct PlotOptions: ParsableArguments {
  @Flag(
    help: """
      Draw the numbers as a live chart instead of printing lines. Keys: q ends, p pauses the picture, + and - change how \
      much of the past it shows.
      """)
  var plot = false

  @Option(
    name: .customLong("plot-svg"),
    help: ArgumentHelp("Also write the chart to a file at the end.", valueName: "file"), completion: .file())
  var svg: String?

  @Option(
    name: .customLong("plot-window"),
    help: ArgumentHelp("Draw only the latest values, such as 5m. (default: all)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var window: DurationArgument?

  func validate() throws {
    if window != nil, !plot, svg == nil {
      throw ValidationError("--plot-window needs --plot or --plot-svg.")
    }
    if svg == "" { throw ValidationError("--plot-svg needs a file name.") }
  }
}

/// The facts about a stream's values that its outputs need in advance.
struct ExpectedValues {
  /// Their format, if it is not their meaning.
  var format: ValueFormat?
  /// The columns for decoded ones, as far as they are known.
  var columns: [String] = []
  /// The devices that should be there from the beginning.
  var devices: [DeviceArgument] = []
  /// True if devices advertise them.
  var areAdvertised = false
  /// True if they come until the command ends, so that its absence before is a gap in a log that it continues.
  var areContinuous = true
}
