// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ReadCommand: DeviceCommand, PairingCommand, ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", _superCommandName: Blectl.name,
    abstract: "Read characteristics.",
    discussion: """
      blectl read 'MI Band 2' 2a28 --as utf8 --simulate
      blectl read F0:F1:F2:F3:F4:F5 battery-level 180a/2a29 --json --simulate
      blectl read Thermometer 2a6e --as i16 --every 1s --count 3 --simulate
      blectl read Thermometer 2a6e --every 1s --count 3 --log hall.csv --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "What to read: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument]
  @Option(
    name: .customLong("as"), help: LiveCompletion.formatHelp,
    completion: LiveCompletion.format, transform: ValueView.init(parsing:))
  var view: ValueView?
  @Option(
    help: ArgumentHelp("Read this descriptor of the characteristic instead.", valueName: "uuid"),
    completion: LiveCompletion.descriptor, transform: BluetoothUUID.init(parsingDescriptor:))
  var descriptor: BluetoothUUID?
  @Option(
    help: ArgumentHelp("Read from this byte of the value on: 0 to 512.", valueName: "n"),
    transform: Int.init(parsingOffset:))
  var offset: Int = 0
  @Option(
    help: ArgumentHelp("Read repeatedly, with this pause between rounds.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var every: DurationArgument?
  @Option(help: ArgumentHelp("With --every, end after this many rounds.", valueName: "n"))
  var count: Int?
  // Texts, which are parsed only if there are any: see ``PairingCommand``.
  @Option(
    name: .customLong("log"),
    help: ArgumentHelp("Also append to a log, like subscribe; may be repeated.", valueName: "file|url"),
    completion: .file())
  var log: [String] = []
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var step: ScriptStep { .read(self) }

  func validate() throws {
    try validatePairing()
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if count != nil, every == nil { throw ValidationError("--count needs --every.") }
    if offset > 0, !log.isEmpty {
      throw ValidationError("--offset and --log cannot be used together: a log is of whole values.")
    }
    if try logs.takeOutput {
      throw ValidationError("--log influx:- is not for read; use influx:FILE.")
    }
    try logs.requireDistinctBrokers()
  }

  private var logs: [LogArgument] {
    get throws(ValidationError) {
      var logs: [LogArgument] = []
      for text in log {
        do throws(ArgumentError) {
          logs.append(try LogArgument(parsing: text))
        } catch {
          throw ValidationError("--log: \(error)")
        }
      }
      return logs
    }
  }

  func run(in context: CommandContext) async throws {
    let logs = try logs
    let words = ["\(target.device)"] + characteristics.map { "\($0)" }
    let all = "blectl subscribe \(words.map(ShellWord.quoted).joined(separator: " ")) --all --read-first"
    let choice = DeviceChoice(target.device, pick: target.pick, forAll: "for the values of each: \(all)")
    let link = try await DeviceConnection.open(
      choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    let found = try await link.characteristics(characteristics)
    guard !logs.isEmpty else { return try await read(found, over: link, to: nil, in: context) }
    let columns =
      descriptor == nil ? [WantedSource(target.device, characteristics)].columns(shownAs: view) : []
    let sinks = try await logs.sinks(
      for: ExpectedValues(columns: columns, areContinuous: every != nil), in: context)
    let outputs = StreamOutputs(sinks, buffer: LogOptions.defaultBuffer, context: context)
    try await outputs.collect { try await read(found, over: link, to: outputs, in: context) }
  }

  /// Reads, prints and logs the values.
  private func read(
    _ found: [GATTCharacteristic], over link: DeviceConnection, to logs: StreamOutputs?,
    in context: CommandContext
  ) async throws {
    let style = ValueStyle(
      isJSON: common.json, view: view, showsTime: every != nil, showsCharacteristic: found.count > 1)
    let output = ConsoleOutputSink(context.console, style)
    let reader = ValueReader(link, context, style)
    let sources = try found.map { ($0, try descriptor.map($0.descriptor)) }
    let origins = sources.map { ValueOrigin(link.info, $0, $1, from: offset, via: .read, shownAs: view) }
    let columns = origins.flatMap { $0.meaning?.columns ?? [] }
    logs?.send(.link(LinkRecord(event: .connected, address: link.info.lastingAddress, columns: columns)))
    let checksums = WrongChecksums()
    // Logs report them at their end.
    defer { if logs == nil, let finding = checksums.finding { context.console.warn(finding) } }
    let rounds = every == nil ? 1 : count ?? .max
    for round in 1...rounds {
      var readings: [Reading] = []
      for ((characteristic, descriptor), origin) in zip(sources, origins) {
        let reading = try await reader.read(characteristic, descriptor, from: offset)
        logs?.send(reading, of: origin)
        if case .value(let value) = reading { checksums.take(.values(ValueBatch([value], of: origin))) }
        try show(reading, of: origin, output)
        // The error of a single value is printed only once, at the end.
        if found.count == 1, let problem = reading.problem { throw problem }
        readings.append(reading)
      }
      try Reading.requireAll(readings, of: link.title)
      if let pause = every?.limit, round < rounds { try await context.loop.sleep(for: pause) }
    }
  }

  /// Prints a value, or the reason why it cannot be read.
  private func show(_ reading: Reading, of origin: ValueOrigin, _ output: ConsoleOutputSink) throws {
    let isOneOfMany = characteristics.count > 1
    switch reading {
    case .value(let value), .misfit(let value, _): try output.print(value, of: origin, reading.problem)
    case .failure(let error, _, let time):
      if common.json {
        try output.console.write(UnreadRecord(time: time, origin: origin, error: error))
      }
    }
    if isOneOfMany, let problem = reading.problem { output.console.warn(problem.message) }
  }
}
