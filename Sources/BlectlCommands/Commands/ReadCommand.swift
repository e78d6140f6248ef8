// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ReadCommand: DeviceCommand, ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Read characteristics.",
    discussion: """
      blectl read 'MI Band 2' 2a28 --as utf8 --simulate
      blectl read F0:F1:F2:F3:F4:F5 battery-level 180a/2a29 --json --simulate
      blectl read Thermometer 2a6e --as i16 --every 1s --count 3 --simulate
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
    help: ArgumentHelp("Read repeatedly, with this pause between rounds.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var every: DurationArgument?
  @Option(help: ArgumentHelp("With --every, end after this many rounds.", valueName: "n"))
  var count: Int?
  @Flag(help: PairFlag.help) var pair = false
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var step: ScriptStep { .read(self) }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if count != nil, every == nil { throw ValidationError("--count needs --every.") }
  }

  func run(in context: CommandContext) async throws {
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(if: pair, in: context))
    let found = try await link.characteristics(characteristics)
    let style = ValueStyle(
      isJSON: common.json, view: view, showsTime: every != nil, showsCharacteristic: found.count > 1)
    let output = ConsoleOutputSink(context.console, style)
    let reader = ValueReader(link, context, device: deviceText, style)
    let rounds = every == nil ? 1 : count ?? .max
    for round in 1...rounds {
      var readings: [Reading] = []
      for characteristic in found {
        let descriptor = try descriptor.map { try characteristic.descriptor($0) }
        let reading = try await reader.read(characteristic, descriptor)
        try show(
          reading, of: ValueOrigin(link.info, characteristic, descriptor, via: .read, shownAs: view), output)
        // The error of a single value is printed only once, at the end.
        if found.count == 1, let problem = reading.problem { throw problem }
        readings.append(reading)
      }
      try Reading.requireAll(readings, of: link.info.address)
      if let pause = every?.limit, round < rounds { try await context.loop.sleep(for: pause) }
    }
  }

  /// Prints a value, or the reason why it cannot be read.
  private func show(_ reading: Reading, of origin: ValueOrigin, _ output: ConsoleOutputSink) throws {
    let isOneOfMany = characteristics.count > 1
    switch reading {
    case .value(let value), .misfit(let value, _): try output.print(value, of: origin, reading.problem)
    case .failure(let error, _):
      if common.json, isOneOfMany {
        try output.console.write(UnreadRecord(time: .now, origin: origin, error: error))
      }
    }
    if isOneOfMany, let problem = reading.problem { output.console.warn(problem.message) }
  }
}
